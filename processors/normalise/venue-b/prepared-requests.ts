/** What the neg-risk operators' logs say of requests: the one thing on the chain that ties such a request to a market. */
import type { Emit } from '#infra/stages/stage';
import { dropOldest } from '../../shared/drop-oldest.ts';
import {
  emitPhase,
  keepUnplaced,
  type Markets,
  marketOfRequest,
  placePhases,
  type ToldPhase,
  type ToldPhases,
} from './told-phases.ts';

/** Requests that are remembered, the newest ones; of older ones the catalog tells. */
export const PREPARED_REQUESTS_MAX = 50_000;

/** Takes what an operator's log says of a request. */
export function prepareRequest(
  told: ToldPhases,
  request: { readonly requestId: string; readonly conditionId: string; readonly blockHash: string },
  emit: Emit,
): void {
  const { requestId, conditionId, blockHash } = request;
  told.prepared.delete(requestId);
  told.prepared.set(requestId, { conditionId, blockHash });
  dropOldest(told.prepared, PREPARED_REQUESTS_MAX);
  placePhases(told, conditionId, { requestId }, emit);
}

/** Takes back what the operators' logs of dropped blocks said; phases that were placed by them alone have no market. */
export function unprepareRequests(
  told: ToldPhases,
  markets: Markets,
  isDropped: (requestId: string, blockHash: string) => boolean,
  emit: Emit,
): void {
  const gone = new Set<string>();
  for (const [requestId, { blockHash }] of told.prepared) if (isDropped(requestId, blockHash)) gone.add(requestId);
  if (gone.size === 0) return;
  for (const requestId of gone) told.prepared.delete(requestId);
  for (const [id, { phase, ids }] of told.known) {
    if (!gone.has(ids.questionId)) continue;
    const marketId = marketOfRequest(told, markets, ids);
    if (marketId === phase.marketId) continue;
    const next: ToldPhase = { ids, phase: { ...phase, marketId } };
    told.known.set(id, next);
    if (marketId === null) keepUnplaced(told, next);
    emitPhase(next.phase, emit);
  }
}
