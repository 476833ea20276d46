/**
 * Thrown for a message of the venue that violates its protocol. The item becomes a dead letter with `code` as reason;
 * items beside it are still processed. A retry gives the same error.
 */
export class MalformedError extends Error {
  override name = 'MalformedError';
  readonly code: string;
  readonly canRetry = false;
  /** @param code the dead letter's reason. @param message names the field and its value. */
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Formats a value for a message: shortened, and with its type visible. */
export function quote(value: unknown): string {
  return value === undefined ? 'missing' : (JSON.stringify(value)?.slice(0, 60) ?? typeof value);
}
