/** The form with which the page of a channel follows it. A script of the page connects (`portal/docs/subscribe.ts`). */
import { escapeHtml, withCode } from './render-markdown.ts';
import { TOKEN_FIELD, TRY_HEADING } from './try-form.ts';

export interface SubscribeParameter {
  readonly name: string;
  readonly description: string;
  /** Every value that it can have; null for any text. */
  readonly values: readonly string[] | null;
  /** What is filled in; empty where no value exists on every service. */
  readonly value: string;
}

/** Figures of the subscription: `data-field`, and the name that is shown. */
const FACTS = [
  ['state', 'Subscription'],
  ['events', 'Events'],
  ['seq', 'Newest seq'],
  ['delayMs', 'Delay, ms'],
  ['gaps', 'Gaps'],
  ['dropped', 'Sent late'],
] as const;

/** @param address name of the channel with `{parameters}`. */
export function subscribeForm(address: string, parameters: readonly SubscribeParameter[]): string {
  const facts = FACTS.map(([field, label]) => `<div><dt>${label}</dt><dd data-field="${field}">–</dd></div>`).join('');
  return `<section class="try document" aria-labelledby="${TRY_HEADING.id}">
<h2 id="${TRY_HEADING.id}">${TRY_HEADING.text}</h2>
<p data-needs-scripts>This form needs scripts. The code above does the same.</p>
<form data-form="subscribe" data-address="${escapeHtml(address)}" autocomplete="off" novalidate hidden>
<fieldset class="fields"><legend>Subscription</legend>
${parameters.map(field).join('\n')}
<div><label>since <input name="since" maxlength="256" spellcheck="false" aria-describedby="try-since"></label>
<p id="try-since" class="muted">A cursor, or <code>earliest</code>; empty for the next event on.</p></div>
</fieldset>
${TOKEN_FIELD}<p class="try-fault" role="alert" data-field="fault"></p>
<div><button type="submit" class="primary" data-action="subscribe">Subscribe</button> <button type="button" data-action="unsubscribe" hidden>Unsubscribe</button></div>
</form>
<div class="try-answer" data-field="answer" hidden>
<h3 data-field="channel"></h3>
<dl class="try-facts"><div><dt>Connection</dt><dd><span data-connection="offline" role="status">offline</span></dd></div>${facts}</dl>
<div class="scroll" tabindex="0" role="region" aria-label="Frames, the newest first"><table>
<thead><tr><th>Received</th><th>Frame</th><th>seq</th><th>Delay, ms</th><th>Data</th></tr></thead>
<tbody data-field="frames"></tbody>
</table></div>
<h3>The same in code</h3>
<div data-field="samples"></div>
</div>
</section>
`;
}

function field({ name, description, values, value }: SubscribeParameter): string {
  const id = `try-${name}`;
  const attributes = `name="${escapeHtml(name)}" data-in="address" aria-describedby="${id}" required`;
  const options = values?.map(
    (option) => `<option${option === value ? ' selected' : ''}>${escapeHtml(option)}</option>`,
  );
  const input = options
    ? `<select ${attributes}>${options.join('')}</select>`
    : `<input ${attributes} value="${escapeHtml(value)}" maxlength="256" spellcheck="false">`;
  return `<div><label>${escapeHtml(name)} (required) ${input}</label>\n<p id="${id}" class="muted">${withCode(description)}</p></div>`;
}
