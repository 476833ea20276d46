/** Waits for room within a limit of a venue, but not longer than the caller can use it. */
import { timeLimit } from '#infra/runtime/time-limit';
import type { Budget } from './budget.ts';
import type { AcquireOptions, Reservation } from './budget-options.ts';
import { UpstreamError } from './errors.ts';

export interface ReserveOptions extends AcquireOptions {
  /** Until when it waits, unix ms; without a limit by default. */
  readonly roomUntil?: number | undefined;
}

/** Rejects with the error of `noRoomError` if there is no room in time, or with the signal's reason. */
export async function reserveInTime(
  budget: Pick<Budget, 'reserve' | 'untilRoomMs'>,
  weight: number,
  { roomUntil, signal, ...options }: ReserveOptions,
): Promise<Reservation> {
  if (roomUntil === undefined) return budget.reserve(weight, { ...options, signal });
  const noRoom = timeLimit(Math.max(0, roomUntil - Date.now()));
  const either = signal ? AbortSignal.any([signal, noRoom]) : noRoom;
  try {
    return await budget.reserve(weight, { ...options, signal: either });
  } catch (error) {
    if (signal?.aborted || !noRoom.aborted) throw error;
    throw noRoomError(budget, weight);
  }
}

/** The error of a request for which there is no room in time. */
export function noRoomError(budget: Pick<Budget, 'untilRoomMs'>, weight: number): UpstreamError {
  const retryAfterMs = budget.untilRoomMs(weight);
  return new UpstreamError('upstream_rate_limited', 'no room within the limits of the venue', { retryAfterMs });
}

/** True for the error of a request that was not sent, since there was no room in time. */
export const isNoRoom = (error: unknown): boolean =>
  error instanceof UpstreamError && error.code === 'upstream_rate_limited' && error.status === null;
