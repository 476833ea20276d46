/**
 * One-minute bars of one instrument (venue page, section 5): open is the first trade of the bucket and not the close
 * before it, and a bucket without a trade has no bar. Trades may come in any order; they are ordered by venue time and
 * then by arrival. A trade of a chain can be removed again while the stage holds it (`removable-trades.ts`).
 */
import { addToSummary, type PricedTrade, type Summary, startSummary, type TradePlace } from './summary.ts';

const BAR_MS = 60_000;
/** Bars are retained, and late trades added to them, for this long behind the newest trade of the instrument. */
export const RETAIN_BARS_MS = 3 * 3_600_000;

export interface MinuteBar {
  /** A multiple of `BAR_MS`. */
  readonly openTime: number;
  /** Of all its trades; null once all of them are removed. */
  summary: Summary | null;
  /** Of the trades that cannot be removed, while there are others; null for none. */
  final: Summary | null;
  /** The other trades, by id; null for none. */
  removable: Map<string, PricedTrade> | null;
}

/** The bars of one instrument. */
export interface CoinBars {
  /** The topic of its trades, whose arrivals count together. */
  readonly topic: string;
  /** By `openTime`. */
  readonly bars: Map<number, MinuteBar>;
  /** Start of the newest bar, except bars ahead of the time of receipt. */
  newest: number;
  /** When the last trade was received. */
  receivedAt: number;
  /** Bars that start at this time or before accept no trade, so they cannot be emitted again without the others. */
  droppedUpTo: number;
  /** Arrival of the newest trade: one that does not arrive after it is a repeat. */
  lastArrival: number;
  /** Arrival of the first trade, and the earliest venue time of all. */
  firstArrival: number;
  firstTs: number;
}

export function createCoinBars(topic: string, { ts, arrival }: TradePlace): CoinBars {
  return {
    topic,
    bars: new Map(),
    newest: 0,
    receivedAt: 0,
    droppedUpTo: Number.NEGATIVE_INFINITY,
    lastArrival: arrival,
    firstArrival: arrival,
    firstTs: ts,
  };
}

/** Returns the start of the bar that a time belongs to. */
function bucketOf(ts: number): number {
  return Math.floor(ts / BAR_MS) * BAR_MS;
}

/**
 * Adds a trade and returns its bar, or null if that bar was dropped.
 * @param receivedAt bounds how far a trade can move the window: one from the future must not drop all other bars.
 * @param removableId id of a trade that can be removed again; null for others.
 */
export function addTrade(
  coin: CoinBars,
  trade: PricedTrade,
  receivedAt: number,
  removableId: string | null,
): MinuteBar | null {
  const openTime = bucketOf(trade.ts);
  let bar = coin.bars.get(openTime);
  if (!bar && openTime <= coin.droppedUpTo) return null;
  const newest = Math.min(openTime, bucketOf(receivedAt));
  if (newest > coin.newest) {
    coin.newest = newest;
    dropBars(coin, newest - RETAIN_BARS_MS);
  }
  coin.receivedAt = receivedAt;
  if (!bar) {
    bar = { openTime, summary: null, final: null, removable: null };
    coin.bars.set(openTime, bar);
  }
  if (removableId === null) {
    if (bar.removable) bar.final = plus(bar.final, trade);
  } else {
    if (!bar.removable) {
      bar.removable = new Map();
      bar.final = copyOf(bar.summary);
    }
    bar.removable.set(removableId, trade);
  }
  bar.summary = plus(bar.summary, trade);
  return bar;
}

/** Removes a trade as if it never was, and returns its bar; null if it is not held. */
export function removeTrade(coin: CoinBars, openTime: number, id: string): MinuteBar | null {
  const bar = coin.bars.get(openTime);
  if (!bar?.removable?.delete(id)) return null;
  let summary = copyOf(bar.final);
  for (const trade of bar.removable.values()) summary = plus(summary, trade);
  bar.summary = summary;
  if (bar.removable.size === 0) release(bar);
  return bar;
}

/** Makes a trade final: it cannot be removed any more. */
export function finalizeTrade(coin: CoinBars, openTime: number, id: string): void {
  const bar = coin.bars.get(openTime);
  const trade = bar?.removable?.get(id);
  if (!bar?.removable || !trade) return;
  bar.removable.delete(id);
  bar.final = plus(bar.final, trade);
  if (bar.removable.size === 0) release(bar);
}

/** Drops the bars of an instrument without trades for `RETAIN_BARS_MS`, which nothing else drops. */
export function dropInactive(coin: CoinBars, now: number): void {
  if (now - coin.receivedAt >= RETAIN_BARS_MS) dropBars(coin, coin.newest);
}

/** Drops the bars that start at `upTo` or before; those with trades that can be removed are dropped later. */
function dropBars(coin: CoinBars, upTo: number): void {
  if (upTo < coin.droppedUpTo) return;
  coin.droppedUpTo = upTo;
  for (const [openTime, { removable }] of coin.bars)
    if (openTime <= upTo && removable === null) coin.bars.delete(openTime);
}

function release(bar: MinuteBar): void {
  bar.removable = null;
  bar.final = null;
}

function plus(summary: Summary | null, trade: PricedTrade): Summary {
  if (!summary) return startSummary(trade);
  addToSummary(summary, trade);
  return summary;
}

function copyOf(summary: Summary | null): Summary | null {
  return summary && { ...summary };
}
