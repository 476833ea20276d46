/** Cursors of lists that are sorted by time, then by id. */
import { ApiError } from '#schemas/errors';

/** Where a row stands in such a list. */
export interface Place {
  /** Unix ms. */
  readonly at: number;
  readonly id: string;
}

/** Names the last row of its page, so that pages stay right while rows are added. */
export function formatCursor({ at, id }: Place): string {
  return Buffer.from(`${at} ${id}`).toString('base64url');
}

/** Throws 400 for what `formatCursor` did not make. */
export function readCursor(cursor: string): Place {
  const parts = /^(\d{1,13}) (\S+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!parts) throw new ApiError('validation_failed', 'cursor: is not a cursor that this service gave');
  return { at: Number(parts[1]), id: parts[2]! };
}
