/** Bars in exact decimals: how they are joined in time, and how the two sides of a question become one. */
import { type Decimal, formatDecimal, UNIT } from '../decimal.ts';

/**
 * When a first or last trade happened: between two times, both inclusive. The times of a recorded trade are equal, and
 * its arrival decides between trades of one time. The trades of other bars are only known to be within the bar.
 */
export interface Moment {
  readonly from: number;
  readonly until: number;
  /** Null unless it is the moment of a recorded trade. */
  readonly arrival: number | null;
}

export interface Bar {
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly close: Decimal;
  readonly volume: Decimal;
  readonly trades: number;
  readonly openAt: Moment;
  readonly closeAt: Moment;
  /** Its decimals as canonical text, if they need not be formatted. */
  readonly texts?: BarTexts;
}

/** The decimals of a bar as canonical text. */
export interface BarTexts {
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

/** The decimals of any bar as canonical text. */
export function textsOf(bar: Bar): BarTexts {
  if (bar.texts) return bar.texts;
  const { open, high, low, close, volume } = bar;
  const [openText, highText, lowText] = [formatDecimal(open), formatDecimal(high), formatDecimal(low)];
  return { open: openText, high: highText, low: lowText, close: formatDecimal(close), volume: formatDecimal(volume) };
}

/** The moment of a first or last trade of a stored bar: of a recorded trade if its time and arrival are known. */
export function momentOf(ts: number | null, arrival: number | null, openTime: number, intervalMs: number): Moment {
  if (ts === null || arrival === null) return { from: openTime, until: openTime + intervalMs - 1, arrival: null };
  return { from: ts, until: ts, arrival };
}

/** Joins bars of consecutive times, the oldest first. Undefined for none. */
export function concatenate(bars: readonly Bar[]): Bar | undefined {
  const [first] = bars;
  const last = bars.at(-1);
  if (!first || !last) return undefined;
  if (bars.length === 1) return first;
  let { high, low } = first;
  let volume = 0n;
  let trades = 0;
  for (const bar of bars) {
    // A bar may parse its decimals at each access.
    const { high: barHigh, low: barLow } = bar;
    if (barHigh > high) high = barHigh;
    if (barLow < low) low = barLow;
    volume += bar.volume;
    trades += bar.trades;
  }
  const { open, openAt } = first;
  const { close, closeAt } = last;
  return { open, high, low, close, volume: volume as Decimal, trades, openAt, closeAt };
}

/**
 * Joins the bars of two instruments in one bucket. The first trade of both opens, the last one closes. If which one that
 * is cannot be known, the first bar decides.
 */
export function overlay(bar: Bar, other: Bar): Bar {
  const [openAt, otherOpenAt, closeAt, otherCloseAt] = [bar.openAt, other.openAt, bar.closeAt, other.closeAt];
  const opensLater = isBefore(otherOpenAt, openAt);
  const closesEarlier = isBefore(closeAt, otherCloseAt);
  // A bar may parse its decimals at each access.
  let { high, low } = bar;
  const { high: otherHigh, low: otherLow } = other;
  if (otherHigh > high) high = otherHigh;
  if (otherLow < low) low = otherLow;
  return {
    open: opensLater ? other.open : bar.open,
    high,
    low,
    close: closesEarlier ? other.close : bar.close,
    volume: (bar.volume + other.volume) as Decimal,
    trades: bar.trades + other.trades,
    openAt: opensLater ? otherOpenAt : openAt,
    closeAt: closesEarlier ? otherCloseAt : closeAt,
  };
}

/** The bar of the other side of a question: each price p becomes 1 − p. */
export function complement({ open, high, low, close, volume, trades, openAt, closeAt }: Bar): Bar {
  const flip = (price: Decimal) => (UNIT - price) as Decimal;
  const prices = { open: flip(open), high: flip(low), low: flip(high), close: flip(close) };
  return { ...prices, volume, trades, openAt, closeAt };
}

/** True if `a` is certainly before `b`. */
function isBefore(a: Moment, b: Moment): boolean {
  if (a.arrival === null || b.arrival === null) return a.until < b.from;
  return a.from < b.from || (a.from === b.from && a.arrival < b.arrival);
}
