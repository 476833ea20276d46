/** What a message is that violates the protocol of its venue: a dead letter. Messages beside it are still processed. */
import type { Emit } from '#infra/stages/stage';
import { FieldError } from '#schemas/domain/json-fields';

/** Thrown for a malformed message. */
export class MalformedError extends Error {
  override name = 'MalformedError';
  /** A retry of the same bytes gives the same error. */
  readonly canRetry = false;
  /** The reason of the dead letter. */
  readonly code: string;
  /** @param detail names the field and its value. */
  constructor(code: string, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.code = code;
  }
}

/** Parses JSON. Throws `MalformedError` with the given code. */
export function parseJson(text: string, code = 'malformed_json'): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedError(code, (error as Error).message, { cause: error });
  }
}

/**
 * Writes the current record to the dead letters if the error states that it is malformed; throws any other error again.
 * @param reason of a `FieldError`, which has none. @param place is put before the message.
 */
export function rejectMalformed(error: unknown, reason: string, emit: Emit, place = ''): void {
  if (error instanceof MalformedError) emit.deadLetter(error.code, `${place}${error.message}`);
  else if (error instanceof FieldError) emit.deadLetter(reason, `${place}${error.message}`);
  else throw error;
}
