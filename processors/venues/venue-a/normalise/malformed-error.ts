/** Thrown for a message of venue_a that violates its protocol. The frame becomes a dead letter. */
export class MalformedError extends Error {
  override name = 'MalformedError';
  /** A retry of the same bytes gives the same error. */
  readonly canRetry = false;
  /** The reason of the dead letter. */
  readonly code: 'malformed_json' | 'malformed_frame' | 'malformed_answer';
  constructor(code: MalformedError['code'], detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.code = code;
  }
}

/** Thrown for an invalid field; the message states the field, the expected form and the value. */
export class FieldError extends Error {
  override name = 'FieldError';
  constructor(field: string, expected: string, value: unknown) {
    super(`${field}: expected ${expected}, got ${quote(value)}`);
  }
}

/**
 * Returns the same error with the path of the enclosing object put before the field. The path is built only on failure,
 * since nearly all fields are valid.
 */
export function withPath(error: unknown, path: string): unknown {
  if (error instanceof FieldError) error.message = `${path}.${error.message}`;
  return error;
}

const SHOWN_CHARACTERS = 60;

/** Formats a value for a message, shortened. */
export function quote(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
