/** What the forms of the documents share: faults, the typed key, and the session of the portal. */
const TIMEOUT_MS = 30_000;
const SIGN_IN = 'Sign in to the portal in another tab, or type a key.';

export type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** An input that is invalid, and why. */
export class InvalidField extends Error {
  readonly field: Field | null;
  constructor(message: string, field: Field | null) {
    super(message);
    this.field = field;
  }
}

/** The fault of a request without a session and without a key. */
export const notSignedIn = () => new InvalidField(SIGN_IN, null);

/** Shows what is wrong, and marks the field; null removes both. */
export function showFault(form: HTMLFormElement, fault: InvalidField | null): void {
  for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid');
  form.querySelector('[data-field="fault"]')!.textContent = fault?.message ?? '';
  fault?.field?.setAttribute('aria-invalid', 'true');
  fault?.field?.focus();
}

/** Calls `work` when the form is sent, one call at a time, and shows what it throws. */
export function onSubmit(form: HTMLFormElement, work: () => Promise<void>): void {
  const button = form.querySelector<HTMLButtonElement>('[type="submit"]')!;
  const submit = async () => {
    showFault(form, null);
    button.disabled = true;
    try {
      await work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      showFault(form, error instanceof InvalidField ? error : new InvalidField(`The request failed: ${reason}`, null));
    } finally {
      button.disabled = false;
    }
  };
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
}

/** The key that was typed in; empty for the session of the portal. */
export function typedToken(form: HTMLFormElement): string {
  return form.querySelector<HTMLInputElement>('input[name="token"]')?.value.trim() ?? '';
}

/** The value with which the portal session may change something and stream. Throws an `InvalidField` without a session. */
export async function readCsrf(): Promise<string> {
  return (await readJson<{ readonly csrf: string }>('/v1/session')).csrf;
}

/**
 * Reads a path of the service, with a key instead of the session if one is given. Throws an `InvalidField` if it needs a
 * session and there is none.
 */
export async function readJson<T>(path: string, token = ''): Promise<T> {
  const response = await fetch(path, {
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(token === '' ? {} : { credentials: 'omit', headers: { authorization: `Bearer ${token}` } }),
  });
  if (response.status === 401) throw notSignedIn();
  if (!response.ok) throw new Error(`${path} has status ${response.status}`);
  return (await response.json()) as T;
}
