/**
 * Something in a venue's message is not as the venue describes it. The item that holds it goes to the dead letters
 * under `code`; what stands beside it is still taken. Trying again gives the same.
 */
export class MalformedError extends Error {
  override name = 'MalformedError';
  readonly code: string;
  readonly canRetry = false;
  /** @param code the dead letter's reason. @param message names the field and what it holds. */
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A value as a message may quote it: short, and with its type visible. */
export function quote(value: unknown): string {
  return value === undefined ? 'missing' : (JSON.stringify(value)?.slice(0, 60) ?? typeof value);
}
