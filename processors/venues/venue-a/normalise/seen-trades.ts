/**
 * Detects trades that were emitted already. The first message after each subscribe replays recent trades (venue page,
 * section 7), so every reconnect repeats some. A trade is identified by coin, time and tid. The newest trades of a coin
 * are stored one by one, older ones only as a time: a trade up to that time is a repeat or came too late.
 */
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';

/** Stored trades of a coin: more than the venue replays. */
export const REMEMBERED_TRADES = 256;
/** Single trades of a coin without trades for this long are removed. */
const QUIET_AFTER_MS = 2 * 86_400_000;
/** The coin of an ended outcome without trades for this long is removed. */
const ENDED_AFTER_MS = 30 * 86_400_000;

interface CoinTrades {
  /** Trades with a time up to this one, inclusive, count as emitted. */
  seenUpTo: number;
  /** Newest trade time, unix ms. */
  newest: number;
  /** Receive time of the newest trade, unix ms. */
  receivedAt: number;
  /** `<time>:<tid>` in order of arrival, with the time. */
  readonly trades: Map<string, number>;
}

/** Trades by coin; part of the stage's state. */
export type SeenTrades = Map<string, CoinTrades>;

/** True if the trade was emitted before, or is too old to know. */
export function isSeen(seen: SeenTrades, coin: string, time: number, key: string): boolean {
  const known = seen.get(coin);
  return known !== undefined && (time <= known.seenUpTo || known.trades.has(key));
}

/** Stores a trade. @param key `<time>:<tid>`. */
export function remember(seen: SeenTrades, coin: string, time: number, key: string, receivedAt: number): void {
  let known = seen.get(coin);
  if (!known) {
    known = { seenUpTo: -1, newest: time, receivedAt, trades: new Map() };
    seen.set(coin, known);
  }
  known.trades.set(key, time);
  known.receivedAt = receivedAt;
  if (time > known.newest) known.newest = time;
  // Trades are removed in bulk once there are twice as many, which also holds when one block has even more.
  const { size } = known.trades;
  if (size >= 2 * REMEMBERED_TRADES && size % REMEMBERED_TRADES === 0) forgetOldest(known);
}

/**
 * Runs once a day: reduces quiet coins to the time of their newest trade, and removes coins of ended outcomes.
 * @param isStored true for a coin of an outcome that has not ended, however long it was not traded: the venue still replays
 * its trades.
 */
export function forgetQuiet(seen: SeenTrades, now: number, isStored: (coin: string) => boolean): void {
  for (const [coin, known] of seen) {
    if (now - known.receivedAt >= ENDED_AFTER_MS && isOutcomeCoin(coin) && !isStored(coin)) seen.delete(coin);
    else if (now - known.receivedAt >= QUIET_AFTER_MS) {
      known.seenUpTo = known.newest;
      known.trades.clear();
    }
  }
}

/**
 * Removes all but about the newest `REMEMBERED_TRADES` by time. The trades of a block share one time, so all trades of
 * a time are removed together, and never those of the newest time: more of its block may come.
 */
function forgetOldest(known: CoinTrades): void {
  const times = [...known.trades.values()].sort((a, b) => a - b);
  const cutoff = Math.min(times[times.length - REMEMBERED_TRADES - 1]!, known.newest - 1);
  if (cutoff <= known.seenUpTo) return;
  known.seenUpTo = cutoff;
  for (const [key, time] of known.trades) if (time <= cutoff) known.trades.delete(key);
}
