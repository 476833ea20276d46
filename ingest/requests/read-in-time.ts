import { timeLimit } from '#infra/runtime/time-limit';
import { UpstreamError } from '../feed/errors.ts';

/**
 * Runs a read of a venue until `until` (unix ms) at most. Rejects with `upstream_unavailable` then, or with the signal's
 * reason.
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
    throw new UpstreamError('upstream_unavailable', 'no response of the venue in time', { cause: error });
  }
}
