/**
 * Which trades were told already. The first message after each subscribe replays recent trades (venue page, section 7),
 * so every reconnect repeats some. A trade is known by coin, time and tid. Of each coin the newest are remembered one by
 * one, and of all before them only that they are over: what is not newer than that is a repeat or came too late to tell.
 */

/** Trades remembered of a coin: more than the venue replays. */
export const REMEMBERED_TRADES = 256;
/** A coin without trades for this long keeps no single trades. */
const QUIET_AFTER_MS = 2 * 86_400_000;
/** A coin of an outcome without trades for this long is over. */
const OVER_AFTER_MS = 30 * 86_400_000;

interface CoinTrades {
  /** Times up to this one, including it, are over. */
  overUpTo: number;
  /** Newest time, unix ms. */
  newest: number;
  /** When the last of them was received. */
  receivedAt: number;
  /** `<time>:<tid>` in order of arrival, with the time. */
  readonly trades: Map<string, number>;
}

/** By coin; part of the stage's state. */
export type SeenTrades = Map<string, CoinTrades>;

/** Whether the trade was told before, or is too old to know. */
export function isSeen(seen: SeenTrades, coin: string, time: number, key: string): boolean {
  const known = seen.get(coin);
  return known !== undefined && (time <= known.overUpTo || known.trades.has(key));
}

/** Remembers a trade. @param key `<time>:<tid>`. */
export function remember(seen: SeenTrades, coin: string, time: number, key: string, receivedAt: number): void {
  let known = seen.get(coin);
  if (!known) {
    known = { overUpTo: -1, newest: time, receivedAt, trades: new Map() };
    seen.set(coin, known);
  }
  known.trades.set(key, time);
  known.receivedAt = receivedAt;
  if (time > known.newest) known.newest = time;
  // Twice as many are let in, so that forgetting is seldom and all at once, also where one block holds even more.
  const { size } = known.trades;
  if (size >= 2 * REMEMBERED_TRADES && size % REMEMBERED_TRADES === 0) forgetOldest(known);
}

/** Once a day: quiet coins keep the time of their newest trade only, and coins of past outcomes nothing. */
export function forgetQuiet(seen: SeenTrades, now: number): void {
  for (const [coin, known] of seen) {
    if (now - known.receivedAt >= OVER_AFTER_MS && coin.startsWith('#')) seen.delete(coin);
    else if (now - known.receivedAt >= QUIET_AFTER_MS) {
      known.overUpTo = known.newest;
      known.trades.clear();
    }
  }
}

/**
 * Forgets all but about the newest `REMEMBERED_TRADES` by time. A block's trades share one time, so whole times are forgotten, and
 * never the newest: its block may not be told to the end.
 */
function forgetOldest(known: CoinTrades): void {
  const times = [...known.trades.values()].sort((a, b) => a - b);
  const cut = Math.min(times[times.length - REMEMBERED_TRADES - 1]!, known.newest - 1);
  if (cut <= known.overUpTo) return;
  known.overUpTo = cut;
  for (const [key, time] of known.trades) if (time <= cut) known.trades.delete(key);
}
