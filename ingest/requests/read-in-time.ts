import { timeLimit } from '#infra/runtime/time-limit';
import { UpstreamError } from '../feed/errors.ts';

/** The time of a read is over, although not all of its attempts may have been made. */
class OutOfTimeError extends UpstreamError {
  constructor(cause: unknown) {
    super('upstream_unavailable', 'no response of the venue in time', { cause });
  }
}

/** True for the error of a read that ended at its time limit: one that began later has time left. */
export const isOutOfTime = (error: unknown): boolean => error instanceof OutOfTimeError;

/**
 * Runs a read of a venue until `until` (unix ms) at most. Rejects with `upstream_unavailable` then (`isOutOfTime`), or with
 * the signal's reason.
 */
export async function readInTime<T>(
  until: number,
  signal: AbortSignal,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inTime = timeLimit(Math.max(0, until - Date.now()));
  try {
    return await read(AbortSignal.any([signal, inTime]));
  } catch (error) {
    if (signal.aborted || !inTime.aborted) throw error;
    throw new OutOfTimeError(error);
  }
}
