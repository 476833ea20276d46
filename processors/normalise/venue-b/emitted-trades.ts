/**
 * The trades that were told and may have to be told again: because their block is confirmed or dropped, or because the
 * catalog comes to know their token. A trade is never changed here, it is replaced: what was emitted stays as it was.
 */
import type { Emit } from '#infra/stages/stage';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import type { Topic } from '#schemas/topics/topic';
import { dropOldest } from '../../shared/drop-oldest.ts';

/** Trades of unknown tokens that are remembered for the day the catalog knows them; the newest ones. */
export const UNPLACED_TRADES_MAX = 50_000;

export interface ToldTrades {
  /** Trades of the blocks kept, by id: for status changes, and so that a repeated log is told once. */
  readonly known: Map<string, Trade>;
  /** Trades told without a market, by id, oldest first. */
  readonly unplaced: Map<string, Trade>;
  /** Their ids by token. */
  readonly unplacedIds: Map<string, Set<string>>;
  /** Trades told so far; the newest one's `arrival`. */
  arrivals: number;
}

export function createToldTrades(): ToldTrades {
  return { known: new Map(), unplaced: new Map(), unplacedIds: new Map(), arrivals: 0 };
}

/** Tells a trade for the first time, or for the first time since it was reverted. */
export function tellTrade(told: ToldTrades, trade: Omit<Trade, 'arrival' | 'status'>, emit: Emit): void {
  told.arrivals += 1;
  const full: Trade = { ...trade, arrival: told.arrivals, status: 'pending' };
  told.known.set(full.id, full);
  if (full.marketId === null) keepUnplaced(told, full);
  emit(tradeTopics.venue_b, full.instrument, full);
}

/**
 * Tells the trade that a block holds again with another status; nothing where the trade is known from another block by
 * now. A reverted one is forgotten: its next inclusion is told as new.
 */
export function retellStatus(
  told: ToldTrades,
  id: string,
  blockHash: string,
  status: 'confirmed' | 'reverted',
  emit: Emit,
  topic: Topic<Trade> = tradeTopics.venue_b,
): void {
  const trade = told.known.get(id);
  if (trade?.blockHash !== blockHash || trade.status === status) return;
  const next = { ...trade, status };
  if (status === 'reverted') {
    told.known.delete(id);
    removeUnplaced(told, next);
  } else {
    told.known.set(id, next);
    if (told.unplaced.has(id)) told.unplaced.set(id, next);
  }
  emit(topic, next.instrument, next);
}

/** Tells the trades of a token again, now that its market is known. */
export function placeTrades(
  told: ToldTrades,
  token: string,
  marketId: string,
  outcome: string | null,
  emit: Emit,
  topic: Topic<Trade> = tradeTopics.venue_b,
): void {
  for (const id of told.unplacedIds.get(token) ?? []) {
    const next = { ...told.unplaced.get(id)!, marketId, outcome };
    told.unplaced.delete(id);
    if (told.known.has(id)) told.known.set(id, next);
    emit(topic, token, next);
  }
  told.unplacedIds.delete(token);
}

/** Remembers a trade without a market for the day the catalog knows its token. */
export function keepUnplaced(told: ToldTrades, trade: Trade): void {
  // Set anew, so that a trade included again counts as new.
  removeUnplaced(told, trade);
  told.unplaced.set(trade.id, trade);
  const ids = told.unplacedIds.get(trade.instrument);
  if (ids) ids.add(trade.id);
  else told.unplacedIds.set(trade.instrument, new Set([trade.id]));
  const drop = (oldest: string) => removeUnplaced(told, told.unplaced.get(oldest)!);
  dropOldest(told.unplaced, UNPLACED_TRADES_MAX, { drop });
}

function removeUnplaced(told: ToldTrades, trade: Trade): void {
  if (!told.unplaced.delete(trade.id)) return;
  const ids = told.unplacedIds.get(trade.instrument);
  ids?.delete(trade.id);
  if (ids?.size === 0) told.unplacedIds.delete(trade.instrument);
}
