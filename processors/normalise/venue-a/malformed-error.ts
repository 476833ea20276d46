/** Thrown for what venue_a said that is not as its protocol describes it; the frame goes to the dead letters. */
export class MalformedError extends Error {
  override name = 'MalformedError';
  /** The same bytes are no better the next time. */
  readonly canRetry = false;
  /** The reason of the dead letter. */
  readonly code: 'malformed_json' | 'malformed_frame' | 'malformed_answer';
  constructor(code: MalformedError['code'], detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.code = code;
  }
}

/** A field that is not what it should be: which one, what was expected, what stood there. */
export class FieldError extends Error {
  override name = 'FieldError';
  constructor(field: string, expected: string, value: unknown) {
    super(`${field}: expected ${expected}, got ${quote(value)}`);
  }
}

/**
 * The same error with the place of what holds the field put before it. Places are put together here and not on the way
 * in, since nearly all fields are good and nobody asks for theirs.
 */
export function placed(error: unknown, place: string): unknown {
  if (error instanceof FieldError) error.message = `${place}.${error.message}`;
  return error;
}

const SHOWN_CHARACTERS = 60;

/** A value for people, cut short. */
export function quote(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
