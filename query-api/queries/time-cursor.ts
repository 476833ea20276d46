/** Cursors of lists that are sorted by time, then by id. */
import { ApiError } from '#schemas/errors';

/** The sort key of a row in such a list. */
export interface CursorKey {
  /** Unix ms. */
  readonly at: number;
  readonly id: string;
}

/** Encodes the sort key of the last row of a page, so that paging stays correct while rows are added. */
export function formatCursor({ at, id }: CursorKey): string {
  return Buffer.from(`${at} ${id}`).toString('base64url');
}

/** The error for a cursor that this service did not return. */
export function invalidCursor(): ApiError {
  return new ApiError('validation_failed', 'cursor: must be a cursor that this service returned');
}

/** Parses a cursor of `formatCursor`. Throws 400 for any other text. */
export function readCursor(cursor: string): CursorKey {
  const parts = /^(\d{1,13}) (\S+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!parts) throw invalidCursor();
  return { at: Number(parts[1]), id: parts[2]! };
}
