/** Logs that tell how markets are decided: steps of the oracle, resolutions, and which request is for which question. */
import type { Emit } from '#infra/stages/stage';
import type { ChainLog } from './chain-message.ts';
import { blockOfLog, type ChainBlock } from './chain-view.ts';
import { idsOf } from './oracle-ids.ts';
import { decodeOracleLog, isOracleLog } from './oracle-log.ts';
import { prepareRequest, unprepareRequests } from './prepared-requests.ts';
import {
  decodeConditionResolution,
  decodeQuestionPrepared,
  isConditionResolution,
  isQuestionPrepared,
} from './settlement-logs.ts';
import type { VenueBState } from './state.ts';
import { marketOfRequest, retellPhase, type ToldPhase, tellPhase } from './told-phases.ts';
import { endTimeOf, retellResolution, tellResolution } from './told-resolutions.ts';

/** Whether a log is one of those taken here. */
export function isSettlementLog(log: ChainLog): boolean {
  return isOracleLog(log) || isConditionResolution(log) || isQuestionPrepared(log);
}

/**
 * Tells what a log for which `isSettlementLog` holds says, and returns its block where it was told as a record: that
 * one is to be confirmed. Throws `MalformedError`.
 */
export function onSettlementLog(
  state: VenueBState,
  log: ChainLog,
  receivedAt: number,
  emit: Emit,
): { readonly id: string; readonly block: ChainBlock } | null {
  if (isQuestionPrepared(log)) {
    const { hash: blockHash } = blockOfLog(state.chain, log);
    prepareRequest(state.phases, { ...decodeQuestionPrepared(log), blockHash }, emit);
    return null;
  }
  const tell = isOracleLog(log) ? phaseOf(state, log, receivedAt, emit) : resolutionOf(state, log, receivedAt, emit);
  if (!tell) return null;
  const block = blockOfLog(state.chain, log);
  const id = recordId(log);
  const before = state.phases.known.get(id)?.phase.blockHash ?? state.resolutions.get(id)?.blockHash;
  if (before === block.hash) return null;
  // The same log in another block: the chain was reorganised where no header told us, as in a gap.
  if (before) retellSettlement(state, id, before, 'reverted', emit);
  tell(block, id);
  block.settlementIds.push(id);
  return { id, block };
}

/** Tells the phase or resolution of that id again with another status, where the block holds it. */
export function retellSettlement(
  state: VenueBState,
  id: string,
  blockHash: string,
  status: 'confirmed' | 'reverted',
  emit: Emit,
): void {
  retellPhase(state.phases, id, blockHash, status, emit);
  retellResolution(state.resolutions, id, blockHash, status, state.catalog, emit);
}

/** Takes back what the logs of dropped blocks said, newest first. */
export function dropSettlements(state: VenueBState, dropped: readonly ChainBlock[], emit: Emit): void {
  if (dropped.length === 0) return;
  for (const block of dropped) {
    for (const id of block.settlementIds.toReversed()) retellSettlement(state, id, block.hash, 'reverted', emit);
  }
  const hashes = new Set(dropped.map(({ hash }) => hash));
  unprepareRequests(state.phases, state.catalog, (_, blockHash) => hashes.has(blockHash), emit);
}

/** A node takes a log back. */
export function removeSettlementLog(state: VenueBState, log: ChainLog, emit: Emit): void {
  if (!isQuestionPrepared(log)) {
    retellSettlement(state, recordId(log), log.blockHash, 'reverted', emit);
    return;
  }
  const { requestId } = decodeQuestionPrepared(log);
  const isIt = (id: string, blockHash: string) => id === requestId && blockHash === log.blockHash;
  unprepareRequests(state.phases, state.catalog, isIt, emit);
}

/** Forgets what a block that is no longer kept told; it stays told. */
export function forgetSettlements(state: VenueBState, block: ChainBlock): void {
  for (const id of block.settlementIds) {
    if (state.phases.known.get(id)?.phase.blockHash === block.hash) state.phases.known.delete(id);
    if (state.resolutions.get(id)?.blockHash === block.hash) state.resolutions.delete(id);
  }
}

const recordId = (log: ChainLog) => `venue_b:${log.transactionHash}:${log.logIndex}`;

type Tell = (block: ChainBlock, id: string) => void;

/** Null where the request is not the venue's. */
function phaseOf(state: VenueBState, log: ChainLog, receivedAt: number, emit: Emit): Tell | null {
  const step = decodeOracleLog(log);
  if (!step) return null;
  const ids = idsOf(step);
  const { phase, requestTimestamp, proposer, disputer, price } = step;
  return (block, id) => {
    const told: ToldPhase['phase'] = {
      ...placeOf(log, block, id, receivedAt),
      marketId: marketOfRequest(state.phases, state.catalog, ids),
      questionId: ids.questionId,
      phase,
      requestTimestamp,
      proposer,
      disputer,
      price,
      ts: block.timestampMs,
    };
    tellPhase(state.phases, state.catalog, { phase: told, ids }, emit);
  };
}

function resolutionOf(state: VenueBState, log: ChainLog, receivedAt: number, emit: Emit): Tell {
  const { conditionId, payouts } = decodeConditionResolution(log);
  return (block, id) => {
    const resolution = {
      ...placeOf(log, block, id, receivedAt),
      marketId: conditionId,
      payouts: [...payouts],
      resolvedAt: block.timestampMs,
      decidedAfter: null,
      endTime: endTimeOf(state.catalog, conditionId),
    };
    tellResolution(state.resolutions, resolution, emit);
  };
}

function placeOf(log: ChainLog, block: ChainBlock, id: string, receivedAt: number) {
  return {
    id,
    provider: 'venue_b',
    receivedAt,
    blockNumber: block.number,
    blockHash: block.hash,
    txHash: log.transactionHash,
    logIndex: log.logIndex,
    // Every record begins alike, also that of a log that comes late for its block.
    status: 'pending' as const,
  };
}
