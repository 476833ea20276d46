/** Lets reads on behalf of clients wait for weight, and states why one waited too long. */
import type { Budget } from '../../feed/budget.ts';
import { UpstreamError } from '../../feed/errors.ts';
import { noRoomError } from '../../feed/reserve-in-time.ts';
import type { RequestHandler } from '../../requests/request-handler.ts';
import { READS_WAIT_MS, REST_PRIORITIES } from './declaration.ts';

/** The part of a budget that reads use. */
export type ReadBudget = Pick<Budget, 'hasRoom' | 'lackedRoomWithin' | 'untilRoomMs' | 'recheck'>;

/** @param weightOf the weight that a read needs to start. */
export function whileWaiting<P>(
  budget: ReadBudget,
  weightOf: (params: P) => number,
): Required<Pick<RequestHandler<P>, 'onJoin' | 'expiredBecause'>> {
  return {
    onJoin: () => budget.recheck(),
    expiredBecause: (params, orgId) => expiredReadError(budget, weightOf(params), orgId),
  };
}

/**
 * Reads ahead of it wait for weight, or did a moment ago: a block of the venue may just have ended. Or there was weight, and
 * they wait for the venue.
 */
function expiredReadError(budget: ReadBudget, weight: number, orgId: string): UpstreamError {
  const hasRoom = budget.hasRoom(weight, { priority: REST_PRIORITIES.reads, payers: new Set([orgId]) });
  if (!hasRoom || budget.lackedRoomWithin(READS_WAIT_MS)) return noRoomError(budget, weight);
  return new UpstreamError('upstream_unavailable', 'the venue did not answer the reads ahead of this one in time');
}
