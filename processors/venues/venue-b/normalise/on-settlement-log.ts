/** Handles the logs of a settlement: dispute phases, resolutions, and which oracle request is for which question. */
import type { Emit } from '#infra/stages/stage';
import type { Resolution } from '#schemas/topics/oracle';
import type { CatalogMarkets } from './catalog-state.ts';
import type { ChainLog } from './chain-message.ts';
import { blockOfLog, type ChainBlock } from './chain-view.ts';
import { type EmittedPhase, emitNewPhase, marketOfRequest, updatePhaseStatus } from './emitted-phases.ts';
import { emitResolution, endTimeOf, updateResolutionStatus } from './emitted-resolutions.ts';
import { idsOf } from './oracle-ids.ts';
import { decodeOracleLog, isOracleLog } from './oracle-log.ts';
import { addPreparedRequest, revertPreparedRequests } from './prepared-requests.ts';
import {
  type ConditionResolution,
  decodeConditionResolution,
  decodeQuestionPrepared,
  isConditionResolution,
  isQuestionPrepared,
} from './settlement-logs.ts';
import type { VenueBState } from './state.ts';

/** True if `onSettlementLog` handles the log. */
export function isSettlementLog(log: ChainLog): boolean {
  return isOracleLog(log) || isConditionResolution(log) || isQuestionPrepared(log);
}

/**
 * Handles a log for which `isSettlementLog` holds. Returns the id and the block of the emitted record, which is to be
 * confirmed later; null if nothing was emitted. Throws `MalformedError`.
 */
export function onSettlementLog(
  state: VenueBState,
  log: ChainLog,
  receivedAt: number,
  emit: Emit,
): { readonly id: string; readonly block: ChainBlock } | null {
  if (isQuestionPrepared(log)) {
    const { hash: blockHash } = blockOfLog(state.chain, log);
    addPreparedRequest(state.phases, { ...decodeQuestionPrepared(log), blockHash }, emit);
    return null;
  }
  const emitRecord = isOracleLog(log)
    ? preparePhase(state, log, receivedAt, emit)
    : prepareResolution(state, log, receivedAt, emit);
  if (!emitRecord) return null;
  const block = blockOfLog(state.chain, log);
  const id = recordId(log);
  const before = state.phases.known.get(id)?.phase.blockHash ?? state.resolutions.get(id)?.blockHash;
  if (before === block.hash) return null;
  // The same log in another block: the chain was reorganized without a header that showed it, as in a gap.
  if (before) updateSettlementStatus(state, id, before, 'reverted', emit);
  emitRecord(block, id);
  block.settlementIds.push(id);
  return { id, block };
}

/** Emits the phase or resolution with this id again with another status, if it belongs to the block. */
export function updateSettlementStatus(
  state: VenueBState,
  id: string,
  blockHash: string,
  status: 'confirmed' | 'reverted',
  emit: Emit,
): void {
  updatePhaseStatus(state.phases, id, blockHash, status, emit);
  updateResolutionStatus(state.resolutions, id, blockHash, status, state.catalog, emit);
}

/** Reverts the records of dropped blocks, newest first. */
export function revertSettlements(state: VenueBState, dropped: readonly ChainBlock[], emit: Emit): void {
  if (dropped.length === 0) return;
  for (const block of dropped) {
    for (const id of block.settlementIds.toReversed()) updateSettlementStatus(state, id, block.hash, 'reverted', emit);
  }
  const hashes = new Set(dropped.map(({ hash }) => hash));
  revertPreparedRequests(state.phases, state.catalog, (_, blockHash) => hashes.has(blockHash), emit);
}

/** Handles a log that the node reverts. */
export function revertSettlementLog(state: VenueBState, log: ChainLog, emit: Emit): void {
  if (!isQuestionPrepared(log)) {
    updateSettlementStatus(state, recordId(log), log.blockHash, 'reverted', emit);
    return;
  }
  const { requestId } = decodeQuestionPrepared(log);
  const isSameLog = (id: string, blockHash: string) => id === requestId && blockHash === log.blockHash;
  revertPreparedRequests(state.phases, state.catalog, isSameLog, emit);
}

/** Forgets the records of a block that is no longer stored. What was emitted remains valid. */
export function forgetSettlements(state: VenueBState, block: ChainBlock): void {
  for (const id of block.settlementIds) {
    if (state.phases.known.get(id)?.phase.blockHash === block.hash) state.phases.known.delete(id);
    if (state.resolutions.get(id)?.blockHash === block.hash) state.resolutions.delete(id);
  }
}

const recordId = (log: ChainLog) => `venue_b:${log.transactionHash}:${log.logIndex}`;

type EmitRecord = (block: ChainBlock, id: string) => void;

/** Returns null where the request is not the venue's. */
function preparePhase(state: VenueBState, log: ChainLog, receivedAt: number, emit: Emit): EmitRecord | null {
  const step = decodeOracleLog(log);
  if (!step) return null;
  const ids = idsOf(step);
  const { phase, requestTimestamp, proposer, disputer, price } = step;
  return (block, id) => {
    const record: EmittedPhase['phase'] = {
      ...commonFields(log, block, id, receivedAt),
      marketId: marketOfRequest(state.phases, state.catalog, ids),
      questionId: ids.questionId,
      phase,
      requestTimestamp,
      proposer,
      disputer,
      price,
      ts: block.timestampMs,
    };
    emitNewPhase(state.phases, state.catalog, { phase: record, ids }, emit);
  };
}

function prepareResolution(state: VenueBState, log: ChainLog, receivedAt: number, emit: Emit): EmitRecord {
  const decoded = decodeConditionResolution(log);
  return (block) =>
    emitResolution(state.resolutions, resolutionOf(decoded, { log, block, receivedAt }, state.catalog), emit);
}

/** Builds the record of a resolution, pending. */
export function resolutionOf(
  { conditionId, payouts }: ConditionResolution,
  { log, block, receivedAt }: { log: ChainLog; block: BlockOfRecord; receivedAt: number },
  catalog: CatalogMarkets,
): Resolution {
  return {
    ...commonFields(log, block, recordId(log), receivedAt),
    marketId: conditionId,
    payouts: [...payouts],
    resolvedAt: block.timestampMs,
    decidedAfter: null,
    endTime: endTimeOf(catalog, conditionId),
  };
}

type BlockOfRecord = Pick<ChainBlock, 'number' | 'hash' | 'timestampMs'>;

function commonFields(log: ChainLog, block: BlockOfRecord, id: string, receivedAt: number) {
  return {
    id,
    provider: 'venue_b',
    receivedAt,
    blockNumber: block.number,
    blockHash: block.hash,
    txHash: log.transactionHash,
    logIndex: log.logIndex,
    // Every record is emitted as pending first, even if its log came late for its block.
    status: 'pending' as const,
  };
}
