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

const SHOWN_CHARACTERS = 60;

/** A value for people, cut short. */
export function quote(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
