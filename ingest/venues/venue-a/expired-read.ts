/** Why a read on behalf of clients waited too long. */
import type { Budget } from '../../feed/budget.ts';
import { UpstreamError } from '../../feed/errors.ts';
import { noRoomError } from '../../feed/reserve-in-time.ts';
import { REST_PRIORITIES } from './declaration.ts';

/** Reads ahead of it wait for weight; or there is weight, and they wait for the venue. */
export function expiredReadError(
  budget: Pick<Budget, 'hasRoom' | 'untilRoomMs'>,
  weight: number,
  orgId: string,
): UpstreamError {
  const hasRoom = budget.hasRoom(weight, { priority: REST_PRIORITIES.reads, payers: new Set([orgId]) });
  if (!hasRoom) return noRoomError(budget, weight);
  return new UpstreamError('upstream_unavailable', 'the venue did not answer the reads ahead of this one in time');
}
