/**
 * Trades that were emitted and may be emitted again, because their block is confirmed or dropped, or because the
 * catalog lists their token. A trade is never changed in place, it is replaced, so that emitted objects stay as they
 * were.
 */
import type { Emit } from '#infra/stages/stage';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import type { Topic } from '#schemas/topics/topic';
import { dropOldest } from '../../../shared/drop-oldest.ts';

/** Newest trades of unknown tokens that are stored until the catalog lists the token. */
export const UNASSIGNED_TRADES_MAX = 50_000;

export interface EmittedTrades {
  /** Trades of the stored blocks, by id: for status changes, and so that a repeated log is emitted once. */
  readonly known: Map<string, Trade>;
  /** Trades emitted without a market, by id, oldest first. */
  readonly unassigned: Map<string, Trade>;
  /** Ids of unassigned trades by token. */
  readonly unassignedIds: Map<string, Set<string>>;
  /** Number of trades emitted so far: the `arrival` of the newest. */
  arrivals: number;
}

export function createEmittedTrades(): EmittedTrades {
  return { known: new Map(), unassigned: new Map(), unassignedIds: new Map(), arrivals: 0 };
}

/** Emits a trade for the first time, or for the first time since it was reverted. */
export function emitTrade(trades: EmittedTrades, trade: Omit<Trade, 'arrival' | 'status'>, emit: Emit): void {
  trades.arrivals += 1;
  const full: Trade = { ...trade, arrival: trades.arrivals, status: 'pending' };
  trades.known.set(full.id, full);
  if (full.marketId === null) addUnassigned(trades, full);
  emit(tradeTopics.venue_b, full.instrument, full);
}

/**
 * Emits the trade of a block again with another status; does nothing if the trade is in another block by now. A
 * reverted trade is removed, so its next inclusion is emitted as new.
 */
export function updateTradeStatus(
  trades: EmittedTrades,
  id: string,
  blockHash: string,
  status: 'confirmed' | 'reverted',
  emit: Emit,
  topic: Topic<Trade> = tradeTopics.venue_b,
): void {
  const trade = trades.known.get(id);
  if (trade?.blockHash !== blockHash || trade.status === status) return;
  const next = { ...trade, status };
  if (status === 'reverted') {
    trades.known.delete(id);
    removeUnassigned(trades, next);
  } else {
    trades.known.set(id, next);
    if (trades.unassigned.has(id)) trades.unassigned.set(id, next);
  }
  emit(topic, next.instrument, next);
}

/** Emits the trades of a token again, now that its market is known. */
export function assignTradeMarket(
  trades: EmittedTrades,
  token: string,
  marketId: string,
  outcome: string | null,
  emit: Emit,
  topic: Topic<Trade> = tradeTopics.venue_b,
): void {
  for (const id of trades.unassignedIds.get(token) ?? []) {
    const next = { ...trades.unassigned.get(id)!, marketId, outcome };
    trades.unassigned.delete(id);
    if (trades.known.has(id)) trades.known.set(id, next);
    emit(topic, token, next);
  }
  trades.unassignedIds.delete(token);
}

/** Stores a trade without a market until the catalog lists its token. */
export function addUnassigned(trades: EmittedTrades, trade: Trade): void {
  // Removed and added again, so that a trade that is included again counts as new.
  removeUnassigned(trades, trade);
  trades.unassigned.set(trade.id, trade);
  const ids = trades.unassignedIds.get(trade.instrument);
  if (ids) ids.add(trade.id);
  else trades.unassignedIds.set(trade.instrument, new Set([trade.id]));
  const drop = (oldest: string) => removeUnassigned(trades, trades.unassigned.get(oldest)!);
  dropOldest(trades.unassigned, UNASSIGNED_TRADES_MAX, { drop });
}

function removeUnassigned(trades: EmittedTrades, trade: Trade): void {
  if (!trades.unassigned.delete(trade.id)) return;
  const ids = trades.unassignedIds.get(trade.instrument);
  ids?.delete(trade.id);
  if (ids?.size === 0) trades.unassignedIds.delete(trade.instrument);
}
