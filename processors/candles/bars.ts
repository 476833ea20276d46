/**
 * One-minute bars of one coin (venue page, section 5): open is the first trade of the bucket and not the close before
 * it, and a bucket without a trade has no bar. Trades may come in any order; they are ordered by venue time and then by
 * arrival.
 */
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';

const BAR_MS = 60_000;
/** Bars are retained, and late trades added to them, for this long behind the newest trade of the coin. */
const RETAIN_BARS_MS = 3 * 3_600_000;

/** Position of a trade in time order; at equal venue times the one that arrived first is before. */
interface TradePlace {
  readonly ts: number;
  readonly arrival: number;
}

/** The fields of a trade that a bar needs; prices and sizes as canonical text, times in unix ms. */
export interface BarTrade extends TradePlace {
  readonly price: string;
  readonly qty: string;
}

/** A bar with the fields needed to add another trade. */
export interface MinuteBar {
  /** A multiple of `BAR_MS`. */
  readonly openTime: number;
  open: string;
  openAt: TradePlace;
  close: string;
  closeAt: TradePlace;
  high: Decimal;
  low: Decimal;
  volume: Decimal;
  trades: number;
}

/** The bars of one coin. */
export interface CoinBars {
  /** By `openTime`. */
  readonly bars: Map<number, MinuteBar>;
  /** Start of the newest bar, except bars ahead of the time of receipt. */
  newest: number;
  /** When the last trade was received. */
  receivedAt: number;
  /** Bars that start at this time or before are dropped, so they cannot be emitted again. */
  droppedUpTo: number;
}

export function createCoinBars(): CoinBars {
  return { bars: new Map(), newest: 0, receivedAt: 0, droppedUpTo: Number.NEGATIVE_INFINITY };
}

/** Returns the start of the bar that a time belongs to. */
function bucketOf(ts: number): number {
  return Math.floor(ts / BAR_MS) * BAR_MS;
}

/**
 * Adds a trade and returns its bar, or null if that bar was dropped. Throws `DecimalError` before it changes anything.
 * @param receivedAt bounds how far a trade can move the window: one from the future must not drop all other bars.
 */
export function addTrade(coin: CoinBars, trade: BarTrade, receivedAt: number): MinuteBar | null {
  const openTime = bucketOf(trade.ts);
  if (openTime <= coin.droppedUpTo) return null;
  const price = parseDecimal(trade.price);
  const qty = parseDecimal(trade.qty);
  const newest = Math.min(openTime, bucketOf(receivedAt));
  if (newest > coin.newest) {
    coin.newest = newest;
    dropBars(coin, newest - RETAIN_BARS_MS);
  }
  coin.receivedAt = receivedAt;
  const bar = coin.bars.get(openTime);
  if (bar) {
    addToBar(bar, trade, price, qty);
    return bar;
  }
  const started = startBar(openTime, trade, price, qty);
  coin.bars.set(openTime, started);
  return started;
}

/** Drops the bars of a coin without trades for `RETAIN_BARS_MS`, which nothing else drops. */
export function dropInactive(coin: CoinBars, now: number): void {
  if (now - coin.receivedAt >= RETAIN_BARS_MS) dropBars(coin, coin.newest);
}

/** Drops the bars that start at `upTo` or before. */
function dropBars(coin: CoinBars, upTo: number): void {
  if (upTo <= coin.droppedUpTo) return;
  coin.droppedUpTo = upTo;
  for (const openTime of coin.bars.keys()) if (openTime <= upTo) coin.bars.delete(openTime);
}

function startBar(openTime: number, trade: BarTrade, price: Decimal, volume: Decimal): MinuteBar {
  const at = { ts: trade.ts, arrival: trade.arrival };
  const { price: text } = trade;
  return { openTime, open: text, openAt: at, close: text, closeAt: at, high: price, low: price, volume, trades: 1 };
}

function addToBar(bar: MinuteBar, trade: BarTrade, price: Decimal, qty: Decimal): void {
  if (isBefore(trade, bar.openAt)) {
    bar.open = trade.price;
    bar.openAt = { ts: trade.ts, arrival: trade.arrival };
  } else if (isBefore(bar.closeAt, trade)) {
    bar.close = trade.price;
    bar.closeAt = { ts: trade.ts, arrival: trade.arrival };
  }
  if (price > bar.high) bar.high = price;
  if (price < bar.low) bar.low = price;
  bar.volume = (bar.volume + qty) as Decimal;
  bar.trades += 1;
}

function isBefore(a: TradePlace, b: TradePlace): boolean {
  return a.ts < b.ts || (a.ts === b.ts && a.arrival < b.arrival);
}
