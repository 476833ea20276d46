/** Markets of neg-risk requests by the operators' logs, the only source on the chain that links the two. */
import type { Emit } from '#infra/stages/stage';
import { dropOldest } from '../../../shared/drop-oldest.ts';
import {
  addUnassigned,
  assignPhaseMarket,
  type EmittedPhase,
  type EmittedPhases,
  emitPhase,
  type Markets,
  marketOfRequest,
} from './emitted-phases.ts';

/** Newest requests that are stored; for older ones the catalog has the market. */
export const PREPARED_REQUESTS_MAX = 50_000;

/** Stores the market of a request as an operator's log states it, and emits the phases that wait for it again. */
export function addPreparedRequest(
  phases: EmittedPhases,
  request: { readonly requestId: string; readonly conditionId: string; readonly blockHash: string },
  emit: Emit,
): void {
  const { requestId, conditionId, blockHash } = request;
  phases.prepared.delete(requestId);
  phases.prepared.set(requestId, { conditionId, blockHash });
  dropOldest(phases.prepared, PREPARED_REQUESTS_MAX);
  assignPhaseMarket(phases, conditionId, { requestId }, emit);
}

/** Removes requests whose logs were dropped. Phases with a market only from them are emitted without one. */
export function revertPreparedRequests(
  phases: EmittedPhases,
  markets: Markets,
  isDropped: (requestId: string, blockHash: string) => boolean,
  emit: Emit,
): void {
  const reverted = new Set<string>();
  for (const [requestId, { blockHash }] of phases.prepared)
    if (isDropped(requestId, blockHash)) reverted.add(requestId);
  if (reverted.size === 0) return;
  for (const requestId of reverted) phases.prepared.delete(requestId);
  for (const [id, { phase, ids }] of phases.known) {
    if (!reverted.has(ids.questionId)) continue;
    const marketId = marketOfRequest(phases, markets, ids);
    if (marketId === phase.marketId) continue;
    const next: EmittedPhase = { ids, phase: { ...phase, marketId } };
    phases.known.set(id, next);
    if (marketId === null) addUnassigned(phases, next);
    emitPhase(next.phase, emit);
  }
}
