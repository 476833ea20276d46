/** Reads of several accounts for one response: a few at once, in their order, for a limited time. */
import { setMaxListeners } from 'node:events';
import { untilAborted } from '#infra/runtime/until-aborted';
import { ApiError } from '#schemas/errors';

/** Reads of one response that run at once, so that the other reads of an organization have their turns. */
export const READ_AT_ONCE = 8;

export type ReadResult<T> = { readonly value: T } | { readonly failure: ApiError };

/** Listeners of one read at the same time: its end, its request, the wait for another attempt. */
const LISTENERS_OF_READ = 4;

/**
 * Resolves with one result for each subject, in their order. Rejects with an error of a read that is no `ApiError`.
 *
 * @param until aborts when no read is waited for any more; what is missing then has a failure.
 */
export async function readFewAtOnce<S, T>(
  subjects: readonly S[],
  read: (subject: S) => Promise<T>,
  until: AbortSignal,
): Promise<ReadResult<T>[]> {
  setMaxListeners(READ_AT_ONCE * LISTENERS_OF_READ, until);
  const results: ReadResult<T>[] = [];
  const waiting = subjects.entries();
  const readWaiting = async () => {
    // Each worker takes the next subject from the same iterator.
    for (const [at, subject] of waiting) results[at] = await readInTime(subject, read, until);
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, readWaiting));
  return results;
}

async function readInTime<S, T>(
  subject: S,
  read: (subject: S) => Promise<T>,
  until: AbortSignal,
): Promise<ReadResult<T>> {
  const late = new ApiError('upstream_unavailable', 'there was no time left to read this account; try again');
  if (until.aborted) return { failure: late };
  try {
    return { value: await untilAborted(read(subject), until) };
  } catch (error) {
    if (error instanceof ApiError) return { failure: error };
    if (until.aborted) return { failure: late };
    throw error;
  }
}
