/**
 * Handles chain records. Fills become trades: the maker legs of a transaction are collected and emitted at their taker
 * leg. Oracle logs become dispute phases and resolutions. Headers confirm or revert all of them.
 */
import type { Emit, StageRecord } from '#infra/stages/stage';
import type { RawEnvelope } from '#schemas/topics/raw';
import { MalformedError } from '../../shared/malformed.ts';
import { confirmBackfilled, trackFirstHeader } from './backfilled-trades.ts';
import { type ChainLog, type Header, parseChainMessage } from './chain-message.ts';
import { acceptHeader, blockOfLog, type ChainBlock, isConfirmed, trimBlocks } from './chain-view.ts';
import {
  addCollateralLog,
  closeCollateral,
  forgetCollateral,
  isCollateralLog,
  onFollowedCollateral,
  removeCollateralLog,
  revertCollateral,
} from './collateral.ts';
import { updateMoveStatus } from './emitted-moves.ts';
import { emitTrade, updateTradeStatus } from './emitted-trades.ts';
import { emitBlockBelow, emitCompleteBlock } from './followed-block.ts';
import {
  forgetSettlements,
  isSettlementLog,
  onSettlementLog,
  revertSettlementLog,
  revertSettlements,
  updateSettlementStatus,
} from './on-settlement-log.ts';
import { addPositionLog, removePositionLog, takeOpenMoves } from './open-moves.ts';
import { decodeOrderFilled, isOrderFilled, type OrderFilled } from './order-filled.ts';
import { isPositionLog } from './position-logs.ts';
import type { OpenLeg, VenueBState } from './state.ts';
import { type TakerLeg, takerLegsOf } from './taker-leg.ts';
import { tradeId, tradeOfLeg } from './trade-of-leg.ts';

/**
 * Event time after which the legs of a transaction are emitted without a taker leg. Logs of one transaction come
 * together, so a taker leg that is missing after a second does not exist.
 */
export const LEG_WAIT_MS = 1_000;

export interface ChainOptions {
  /** Blocks above a trade that confirm it. */
  readonly confirmations: number;
  /** Exchange contracts, lower case. */
  readonly exchanges: ReadonlySet<string>;
}

/** Handles one record of `raw.venue_b.rpc`. */
export function onChainRecord(
  options: ChainOptions,
  state: VenueBState,
  record: StageRecord<RawEnvelope>,
  emit: Emit,
): void {
  try {
    const message = parseChainMessage(record.value.payload);
    if (message.kind === 'header') onHeader(options, state, message.header, record.receivedAt, emit);
    else if (message.kind === 'log') onLog(options, state, message.log, record.receivedAt, emit);
    else if (message.kind === 'complete')
      closeBlock(options, state, { hash: message.hash, receivedAt: record.receivedAt }, emit);
    else if (message.kind === 'collateral')
      onFollowedCollateral(state.chain, message.followed, record.receivedAt, emit);
    else onFinalized(options, state, message.number, emit);
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    emit.deadLetter(error.code, error.message);
  }
}

/** Closes a transaction once `LEG_WAIT_MS` of event time have passed since its last log. */
export function onChainTime(options: ChainOptions, state: VenueBState, now: number, emit: Emit): void {
  const { openTransaction, openMoves, collateral } = state;
  if (openTransaction && now - openTransaction.receivedAt >= LEG_WAIT_MS) closeLegs(options, state, emit);
  if (openMoves && now - openMoves.receivedAt >= LEG_WAIT_MS) closeMoves(options, state, emit);
  if (collateral.open && now - collateral.open.receivedAt >= LEG_WAIT_MS) closeCollateral(state, emit);
}

/** Emits what waits for other logs of the open transaction: none will come. */
export function closeTransaction(options: ChainOptions, state: VenueBState, emit: Emit): void {
  closeLegs(options, state, emit);
  closeMoves(options, state, emit);
  closeCollateral(state, emit);
}

/**
 * Handles that all logs of a block have been received.
 * @param block its hash, null for the newest one; and when it was known.
 */
export function closeBlock(
  options: ChainOptions,
  state: VenueBState,
  block: { readonly hash: string | null; readonly receivedAt: number },
  emit: Emit,
): void {
  closeTransaction(options, state, emit);
  emitCompleteBlock(state.chain, block.hash, block.receivedAt, emit);
}

/** Emits the position moves of the open transaction. */
function closeMoves(options: ChainOptions, state: VenueBState, emit: Emit): void {
  const taken = takeOpenMoves(state, options.exchanges, emit);
  if (!taken) return;
  const { block, ids } = taken;
  awaitConfirmation(options, state, block, () => {
    for (const id of ids) updateMoveStatus(state.moves, id, block.hash, 'confirmed', emit);
  });
}

/** Emits the legs of the open transaction, if any, each as filled directly: no taker leg came. */
function closeLegs(options: ChainOptions, state: VenueBState, emit: Emit): void {
  const open = state.openTransaction;
  if (!open) return;
  state.openTransaction = null;
  for (const leg of open.legs) emitLeg(options, state, leg, null, emit);
}

function onHeader(options: ChainOptions, state: VenueBState, header: Header, receivedAt: number, emit: Emit): void {
  closeTransaction(options, state, emit);
  const previousHead = state.chain.head;
  const dropped = acceptHeader(state.chain, header);
  for (const block of dropped) {
    for (const id of block.tradeIds.toReversed()) updateTradeStatus(state.trades, id, block.hash, 'reverted', emit);
    for (const id of block.moveIds.toReversed()) updateMoveStatus(state.moves, id, block.hash, 'reverted', emit);
    revertCollateral(state.collateral, block, emit);
  }
  revertSettlements(state, dropped, emit);
  emitBlockBelow(state.chain, { previousHead, isReorganized: dropped.length > 0 }, receivedAt, emit);
  trackFirstHeader(state.backfilled, header, emit);
  confirmBlocks(options, state, emit);
  for (const block of trimBlocks(state.chain)) forgetBlock(state, block);
}

function onFinalized(options: ChainOptions, state: VenueBState, number: number, emit: Emit): void {
  closeTransaction(options, state, emit);
  state.chain.finalized = Math.max(state.chain.finalized, number);
  confirmBlocks(options, state, emit);
}

function confirmBlocks(options: ChainOptions, state: VenueBState, emit: Emit): void {
  const { chain, trades } = state;
  for (const number of chain.unconfirmed) {
    if (!isConfirmed(chain, number, options.confirmations)) continue;
    const { tradeIds, settlementIds, moveIds, hash } = chain.blocks.get(number)!;
    for (const id of tradeIds) updateTradeStatus(trades, id, hash, 'confirmed', emit);
    for (const id of settlementIds) updateSettlementStatus(state, id, hash, 'confirmed', emit);
    for (const id of moveIds) updateMoveStatus(state.moves, id, hash, 'confirmed', emit);
    chain.unconfirmed.delete(number);
  }
  confirmBackfilled(state.backfilled, (number) => isConfirmed(chain, number, options.confirmations), emit);
}

function forgetBlock(state: VenueBState, block: ChainBlock): void {
  for (const id of block.tradeIds)
    if (state.trades.known.get(id)?.blockHash === block.hash) state.trades.known.delete(id);
  for (const id of block.moveIds) if (state.moves.known.get(id)?.blockHash === block.hash) state.moves.known.delete(id);
  forgetCollateral(state.collateral, block);
  forgetSettlements(state, block);
}

function onLog(options: ChainOptions, state: VenueBState, log: ChainLog, receivedAt: number, emit: Emit): void {
  if (log.removed) {
    onRemoved(state, log, emit);
    return;
  }
  const { openTransaction: open } = state;
  const isOther = (one: { transactionHash: string; blockHash: string } | null) =>
    one !== null && (one.transactionHash !== log.transactionHash || one.blockHash !== log.blockHash);
  if (isOther(open)) closeLegs(options, state, emit);
  if (isOther(state.openMoves)) closeMoves(options, state, emit);
  if (isOther(state.collateral.open)) closeCollateral(state, emit);
  if (isCollateralLog(log)) {
    addCollateralLog(state, log, receivedAt);
    return;
  }
  if (isPositionLog(log)) {
    addPositionLog(state, log, receivedAt);
    return;
  }
  if (isSettlementLog(log)) {
    const emitted = onSettlementLog(state, log, receivedAt, emit);
    if (!emitted) return;
    const { id, block } = emitted;
    awaitConfirmation(options, state, block, () => updateSettlementStatus(state, id, block.hash, 'confirmed', emit));
    return;
  }
  if (!options.exchanges.has(log.address) || !isOrderFilled(log.topics[0])) return;
  const order = decodeOrderFilled(log);
  blockOfLog(state.chain, log);
  if (order.taker === order.exchange) onTakerLeg(options, state, order, emit);
  else if (!options.exchanges.has(order.taker)) addLeg(state, log, order, receivedAt, emit);
  else
    throw new MalformedError(
      'malformed_log',
      `taker ${order.taker} is an exchange, but not the one that emitted the log`,
    );
}

function addLeg(state: VenueBState, log: ChainLog, order: OrderFilled, receivedAt: number, emit: Emit): void {
  const { blockHash, blockNumber, transactionHash, logIndex } = log;
  const known = state.trades.known.get(tradeId(transactionHash, logIndex));
  if (known?.blockHash === blockHash) return;
  // The same log in another block: the chain was reorganized without a header that showed it, as in a gap.
  if (known?.blockHash) updateTradeStatus(state.trades, known.id, known.blockHash, 'reverted', emit);
  state.openTransaction ??= { transactionHash, blockHash, receivedAt, legs: [] };
  const open = state.openTransaction;
  if (open.legs.some((leg) => leg.logIndex === logIndex)) return;
  open.receivedAt = receivedAt;
  open.legs.push({ transactionHash, blockNumber, blockHash, logIndex, receivedAt, order });
}

/** Maker legs belong to the first taker leg of the same contract that follows them in the transaction. */
function onTakerLeg(options: ChainOptions, state: VenueBState, takerLeg: OrderFilled, emit: Emit): void {
  const open = state.openTransaction;
  if (!open) return;
  const others: OpenLeg[] = [];
  const own: OpenLeg[] = [];
  for (const leg of open.legs) (leg.order.exchange === takerLeg.exchange ? own : others).push(leg);
  const takerLegs = takerLegsOf(
    takerLeg,
    own.map(({ order }) => order),
  );
  for (const [at, leg] of own.entries()) emitLeg(options, state, leg, takerLegs[at]!, emit);
  open.legs = others;
  if (others.length === 0) state.openTransaction = null;
}

function emitLeg(options: ChainOptions, state: VenueBState, leg: OpenLeg, takerLeg: TakerLeg | null, emit: Emit): void {
  const block = state.chain.blocks.get(leg.blockNumber)!;
  const { number, hash, timestampMs } = block;
  const trade = tradeOfLeg({ ...leg, number, hash, timestampMs }, takerLeg, state.catalog);
  const { id } = trade;
  emitTrade(state.trades, trade, emit);
  block.tradeIds.push(id);
  awaitConfirmation(options, state, block, () => updateTradeStatus(state.trades, id, block.hash, 'confirmed', emit));
}

/** Confirms a record at once if its log came late for its block. It was emitted as pending first, like every record. */
function awaitConfirmation(options: ChainOptions, state: VenueBState, block: ChainBlock, confirm: () => void): void {
  if (isConfirmed(state.chain, block.number, options.confirmations)) confirm();
  else state.chain.unconfirmed.add(block.number);
}

/** Handles a log that the node reverts. If a header dropped its block before, there is nothing left to revert. */
function onRemoved(state: VenueBState, log: ChainLog, emit: Emit): void {
  if (isSettlementLog(log)) {
    revertSettlementLog(state, log, emit);
    return;
  }
  if (isCollateralLog(log)) {
    removeCollateralLog(state.collateral, log, emit);
    return;
  }
  if (isPositionLog(log)) {
    removePositionLog(state, log);
    updateMoveStatus(state.moves, tradeId(log.transactionHash, log.logIndex), log.blockHash, 'reverted', emit);
    return;
  }
  const open = state.openTransaction;
  if (open?.blockHash === log.blockHash && open.transactionHash === log.transactionHash) {
    open.legs = open.legs.filter((leg) => leg.logIndex !== log.logIndex);
  }
  updateTradeStatus(state.trades, tradeId(log.transactionHash, log.logIndex), log.blockHash, 'reverted', emit);
}
