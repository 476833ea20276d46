/** The form with which a page of the REST API sends its request. A script of the page sends it (`portal/docs/try.ts`). */
import type { JsonObject } from '#schemas/json-schema';
import { type OwnIds, ownIdsOf } from './own-ids.ts';
import { escapeHtml, withCode } from './render-markdown.ts';

export interface TryParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonObject;
  readonly example?: string | number;
}

export interface TryRequest {
  readonly method: string;
  /** Path with `{parameters}`. */
  readonly path: string;
  readonly needsToken: boolean;
  readonly parameters: readonly TryParameter[];
  /** Null if the route accepts no body. */
  readonly body: { readonly schema: JsonObject; readonly isRequired: boolean; readonly example: unknown } | null;
}

const INDENT = 2;
const BODY_ROWS_MAX = 14;
/** Heading of the form, for the list of the page's parts. */
export const TRY_HEADING = { id: 'try-it', text: 'Try it', depth: 2 };

export function tryForm({ method, path, needsToken, parameters, body }: TryRequest): string {
  const fields = parameters.map((parameter) => field(parameter, { method, path })).join('\n');
  const attributes = `data-method="${method}" data-path="${escapeHtml(path)}"${needsToken ? ' data-needs-token' : ''}`;
  return `<section class="try document" aria-labelledby="${TRY_HEADING.id}">
<h2 id="${TRY_HEADING.id}">${TRY_HEADING.text}</h2>
<p data-needs-scripts>This form needs scripts. The calls above do the same.</p>
<form data-form="try" ${attributes} autocomplete="off" novalidate hidden>
${fields === '' ? '' : `<fieldset class="fields"><legend>Parameters</legend>\n${fields}\n</fieldset>\n`}${body === null ? '' : bodyField(body)}${needsToken ? TOKEN_FIELD : ''}<p class="try-fault" role="alert" data-field="fault"></p>
<button type="submit" class="primary" data-action="send">Send ${method}</button>
</form>
<div class="try-answer" data-field="answer" aria-live="polite" hidden>
<h3>Answer</h3>
<dl class="try-facts"><div><dt>Status</dt><dd data-field="status"></dd></div><div><dt>Time</dt><dd data-field="time"></dd></div></dl>
<h3>Headers</h3>
<pre tabindex="0"><code data-field="headers"></code></pre>
<h3>Body</h3>
<pre tabindex="0"><code data-field="body"></code></pre>
<h3>The same call with curl</h3>
<pre tabindex="0"><code data-field="curl"></code></pre>
</div>
</section>
`;
}

/** The field for a key. */
export const TOKEN_FIELD = `<label>Key <input type="password" name="token" autocomplete="off" spellcheck="false" aria-describedby="try-token"></label>
<p id="try-token" class="muted">Left empty, the session of the <a href="/portal/login">portal</a> is used. A key is sent to this service alone and stored nowhere.</p>
`;

function field(
  { name, in: place, required, description = '', schema, example }: TryParameter,
  { method, path }: Pick<TryRequest, 'method' | 'path'>,
): string {
  const id = `try-${name}`;
  const own = place === 'path' ? ownIdsOf(path, name) : null;
  const ownId = own === null ? '' : ownIdAttributes(own, method);
  // Only values without which the request is refused are filled in.
  const value = required && own === null && example !== undefined ? String(example) : '';
  const attributes = `name="${escapeHtml(name)}" data-in="${place}" data-schema="${escapeHtml(JSON.stringify(schema))}" aria-describedby="${id}"${required ? ' required' : ''}${ownId}`;
  const values = choicesOf(schema);
  const input =
    values === null
      ? `<input ${attributes} value="${escapeHtml(value)}" placeholder="${escapeHtml(placeholderOf(own, example))}" spellcheck="false">`
      : `<select ${attributes}>${['', ...values].map((one) => option(one, value)).join('')}</select>`;
  return `<div><label>${escapeHtml(name)}${required ? ' (required)' : ''} ${input}</label>\n<p id="${id}" class="muted">${withCode(description)}</p></div>`;
}

/** What is deleted is chosen by the reader, never filled in. */
function ownIdAttributes({ list, rows, field }: OwnIds, method: string): string {
  return method === 'DELETE' ? '' : ` data-own-list="${list}" data-own-rows="${rows}" data-own-field="${field}"`;
}

function placeholderOf(own: OwnIds | null, example: TryParameter['example']): string {
  if (own !== null) return `from GET ${own.list}`;
  return example === undefined ? '' : String(example);
}

const option = (value: string, selected: string) =>
  `<option value="${escapeHtml(value)}"${value === selected ? ' selected' : ''}>${value === '' ? '–' : escapeHtml(value)}</option>`;

/** The texts that a parameter may have; null if they are not listed. */
function choicesOf({ enum: values }: JsonObject): string[] | null {
  return Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : null;
}

function bodyField({ schema, isRequired, example }: NonNullable<TryRequest['body']>): string {
  const text = example === undefined ? '' : JSON.stringify(example, null, INDENT);
  const rows = Math.min(BODY_ROWS_MAX, text.split('\n').length + 1);
  return `<label>Body (JSON) <textarea name="body" rows="${rows}" spellcheck="false" data-schema="${escapeHtml(JSON.stringify(schema))}"${isRequired ? ' required' : ''}>\n${escapeHtml(text)}</textarea></label>
`;
}
