/** What a transaction that a backfill found did to the wallet for which it was searched: the wallet's ledger gets all of it. */
import type { Emit } from '#infra/stages/stage';
import { isJsonObject } from '#schemas/domain/json-fields';
import { type BackfilledEvent, backfilledEventTopic } from '#schemas/topics/normalised';
import { parseJson } from '../../shared/malformed.ts';
import { isFollowed } from './backfilled-trades.ts';
import type { HistoryMessage } from './chain-message.ts';
import { type ChainView, isConfirmed } from './chain-view.ts';
import { decodeTransfers, emitBackfilledChange, emitFollowed } from './collateral.ts';
import type { ChainOptions } from './on-chain.ts';
import { resolutionOf } from './on-settlement-log.ts';
import { inOrder, moveRecord } from './open-moves.ts';
import type { OrderFilled } from './order-filled.ts';
import { decodePositionLog, isPositionLog } from './position-logs.ts';
import { movesOf } from './position-moves.ts';
import { decodeConditionResolution, isConditionResolution } from './settlement-logs.ts';
import type { VenueBState } from './state.ts';
import type { TakerLeg } from './taker-leg.ts';
import { tradeOfLeg } from './trade-of-leg.ts';

export interface MatchedLeg {
  readonly transactionHash: string;
  readonly logIndex: number;
  readonly order: OrderFilled;
  /** Null where no taker leg followed: the order was filled directly. */
  takerLeg: TakerLeg | null;
}

interface FoundTransaction {
  readonly message: HistoryMessage;
  readonly matched: readonly MatchedLeg[];
  /** What was requested, as JSON that names the wallet and the ledger. */
  readonly request: string | null;
  readonly receivedAt: number;
}

/**
 * Emits the trades, splits, merges, conversions and flows of the wallet, how its markets were resolved, and since when its
 * flows are known. Throws `MalformedError`.
 */
export function emitWalletEvents(
  { confirmations, exchanges }: ChainOptions,
  state: VenueBState,
  { message, matched, request, receivedAt }: FoundTransaction,
  emit: Emit,
): void {
  const { block, logs } = message;
  const requested = readRequest(request);
  if (!requested) return;
  const { account, ledger } = requested;
  if (message.collateral !== null)
    emitFollowed({ account, ledger: message.collateral }, block.timestampMs, receivedAt, emit);
  if (!isOnChain(state, block)) return;
  // Decoded before anything is emitted: nothing of a transaction with a malformed log is.
  const positionLogs = inOrder(logs.filter(isPositionLog).flatMap((log) => decodePositionLog(log) ?? []));
  const transfers = decodeTransfers(logs, block.timestampMs);
  const resolutions = logs
    .filter(isConditionResolution)
    .map((log) => resolutionOf(decodeConditionResolution(log), { log, block, receivedAt }, state.catalog));
  const status = isConfirmed(state.chain, block.number, confirmations) ? ('confirmed' as const) : ('pending' as const);
  const found = { account, ledger, receivedAt, trade: null, move: null, resolution: null };
  for (const leg of matched) {
    if (leg.order.maker !== account && leg.order.taker !== account) continue;
    const trade = tradeOfLeg({ ...leg, ...block, receivedAt }, leg.takerLeg, state.catalog);
    emit(backfilledEventTopic, account, { ...found, trade: { ...trade, arrival: leg.logIndex, status } });
  }
  const { moves, faults } = movesOf(positionLogs, exchanges);
  for (const { code, message: text } of faults) emit.deadLetter(code, text);
  for (const move of moves) {
    if (move.account !== account) continue;
    const record = moveRecord(move, logs[0]!.transactionHash, block, receivedAt, state.catalog);
    emit(backfilledEventTopic, account, { ...found, move: { ...record, arrival: move.logIndex, status } });
  }
  for (const resolution of resolutions)
    emit(backfilledEventTopic, account, { ...found, resolution: { ...resolution, status } });
  emitBackfilledChange(state, { account, transfers, block, receivedAt }, emit);
}

/** Requests of former versions do not name the ledger. */
function readRequest(request: string | null): Pick<BackfilledEvent, 'account' | 'ledger'> | null {
  const value = request === null ? null : parseJson(request, 'malformed_history');
  if (!isJsonObject(value) || typeof value.wallet !== 'string') return null;
  return { account: value.wallet, ledger: typeof value.ledger === 'number' ? value.ledger : null };
}

/**
 * False for a followed block that the followed chain does not contain, or not yet: its logs come, or came, from there. A
 * block that is not stored any more is deep enough.
 */
function isOnChain({ chain, backfilled }: VenueBState, block: HistoryMessage['block']): boolean {
  if (!isFollowed(backfilled, block.number)) return true;
  return block.number <= chain.head && isSameBlock(chain, block);
}

function isSameBlock({ blocks }: ChainView, { number, hash }: HistoryMessage['block']): boolean {
  const stored = blocks.get(number);
  return stored === undefined || stored.hash === hash;
}
