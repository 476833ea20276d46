/** The form on the page of a route: checks the request as the route does, sends it, and shows the answer. */
import { curlOf } from '../../docs/samples/rest-samples.ts';
import { type Field, InvalidField, notSignedIn, onSubmit, readCsrf, readJson, showFault, typedToken } from './form.ts';
import { questionBefore } from './question.ts';
import { faultOf, type Schema, typedValue } from './validate-schema.ts';

const TIMEOUT_MS = 30_000;
/** Longer bodies are cut after this many characters. */
const SHOWN_CHARACTERS = 200_000;
const INDENT = 2;

interface Prepared {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export function startTryForm(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>('[data-own-list]');
  // Requested once somebody uses the form: a page that is only read requests nothing.
  form.addEventListener('focusin', ({ target }) => {
    // What fails now is tried again, and reported, when the form is sent.
    if (field && (target as Field).name !== 'token') fillOwnId(form, field).catch(() => {});
  });
  onSubmit(form, async () => {
    if (field) await fillOwnId(form, field);
    const request = prepare(form);
    const question = questionBefore(request.method, request.path, request.body);
    if (question !== null && !confirm(question)) return;
    await send(form, request);
  });
}

/** Fills in the first id of the reader's list, if the field is empty. Rejects if the list cannot be read. */
async function fillOwnId(form: HTMLFormElement, field: HTMLInputElement): Promise<void> {
  if (field.value !== '') return;
  const { ownList = '', ownRows = '', ownField = '' } = field.dataset;
  const listed = await readJson<Record<string, readonly Record<string, string>[]>>(ownList, typedToken(form));
  const id = listed[ownRows]?.[0]?.[ownField];
  if (field.value !== '') return;
  if (id === undefined) field.placeholder = `none in GET ${ownList} yet`;
  else field.value = id;
}

/** The request of the form. Throws an `InvalidField`. */
function prepare(form: HTMLFormElement): Prepared {
  const { method = 'GET', path: template = '' } = form.dataset;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let path = template;
  for (const field of form.querySelectorAll<Field>('[data-in]')) {
    const { name, value } = field;
    if (value === '') {
      if (field.required) throw new InvalidField(`${name}: is missing`, field);
      continue;
    }
    const fault = faultOf(typedValue(value, schemaOf(field)), schemaOf(field), name);
    if (fault !== null) throw new InvalidField(fault, field);
    if (field.dataset.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (field.dataset.in === 'query') query.set(name, value);
    else headers[name] = value;
  }
  return { method, path: query.size === 0 ? path : `${path}?${query}`, headers, body: bodyOf(form) };
}

function schemaOf(field: Field): Schema {
  return JSON.parse(field.dataset.schema ?? '{}') as Schema;
}

function bodyOf(form: HTMLFormElement): unknown {
  const field = form.querySelector<HTMLTextAreaElement>('textarea[name="body"]');
  if (!field || (field.value.trim() === '' && !field.required)) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(field.value);
  } catch {
    throw new InvalidField('body: is not JSON', field);
  }
  const fault = faultOf(body, schemaOf(field), '');
  if (fault !== null) throw new InvalidField(fault.startsWith(':') ? `body${fault}` : fault, field);
  return body;
}

async function send(form: HTMLFormElement, request: Prepared): Promise<void> {
  const { method, path, body } = request;
  const token = typedToken(form);
  const needsToken = form.dataset.needsToken !== undefined;
  const headers: Record<string, string> = { accept: 'application/json', ...request.headers };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (token !== '') headers.authorization = `Bearer ${token}`;
  else if (needsToken && method !== 'GET') headers['x-parallax-csrf'] = await readCsrf();
  const startedAt = performance.now();
  const response = await fetch(path, {
    method,
    headers,
    cache: 'no-store',
    // A key that is typed in is used alone, and the answer to it changes no session.
    credentials: token === '' ? 'same-origin' : 'omit',
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const shown = {
    status: `${response.status} ${response.statusText}`.trim(),
    time: `${Math.round(performance.now() - startedAt)} ms`,
    headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
    body: bodyText(text),
    curl: curlOf({ method, path, body, needsToken }),
  };
  showAnswer(form, shown);
  if (response.status === 401) showFault(form, notSignedIn());
  else if (response.status === 400) markNamedField(form, text);
}

function bodyText(text: string): string {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, INDENT);
  } catch {
    // A body that is no JSON is shown as it is.
  }
  return shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}\n…` : shown;
}

function showAnswer(form: HTMLFormElement, values: Readonly<Record<string, string>>): void {
  const answer = form.parentElement!.querySelector<HTMLElement>('[data-field="answer"]')!;
  for (const [name, value] of Object.entries(values))
    answer.querySelector(`[data-field="${name}"]`)!.textContent = value;
  answer.hidden = false;
}

/** Marks the field that the message of a 400 names. */
function markNamedField(form: HTMLFormElement, text: string): void {
  const { error } = JSON.parse(text) as { error?: { message?: string } };
  const message = error?.message ?? '';
  const name = /^[\w-]+/.exec(message)?.[0] ?? '';
  const field = form.querySelector<Field>(`[data-in][name="${name}"]`) ?? form.querySelector<Field>('textarea');
  showFault(form, new InvalidField(message, field));
}
