/** Random histories of trades and of what sources know of them, and a plain implementation that holds every trade. */
import fc from 'fast-check';
import { INTERVAL_NAMES, INTERVALS, type Interval } from '#schemas/domain/candles/sources';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** The start of a day. Trades happen in the hours from three hours later on, so that buckets of four hours differ. */
export const DAY = 20_000 * 24 * HOUR;
export const BASE = DAY + 3 * HOUR;
export const SPAN = 2 * HOUR;
/** A bar in progress that the venue calculated is used for this long. */
const FORMING_MAX_AGE = 30_000;

export interface Happened {
  readonly ts: number;
  readonly price: number;
  readonly qty: number;
  /** True if the chain drops it. */
  readonly reverted: boolean;
  readonly repeats: number;
}

/** A trade with everything that its order depends on. */
export interface Placed extends Happened {
  readonly arrival: number;
}

export interface KnownRange {
  readonly source: 'official_api' | 'external_exchange';
  readonly lengthMs: number;
  readonly from: number;
  readonly until: number;
}

export interface Gap {
  readonly from: number;
  /** Null if it has not ended. */
  readonly until: number | null;
  /** False if it turned out that nothing was missed. */
  readonly isReal: boolean;
}

export interface Window {
  readonly start: number | null;
  readonly end: number | null;
  readonly limit: number;
}

export interface History {
  readonly isQuestion: boolean;
  readonly trades: readonly Happened[];
  /** The order of their arrival. */
  readonly order: readonly number[];
  readonly gaps: readonly Gap[];
  /** Where the venue and the exchange are complete, if the buckets were closed then. */
  readonly ranges: readonly KnownRange[];
  /** Age of the venue's bar in progress, ms; null for none. */
  readonly formingAge: number | null;
  /** Infinite for the end of a recording. */
  readonly now: number;
  readonly interval: Interval;
  readonly window: Window;
}

const time = fc.integer({ min: 0, max: SPAN - 1 }).map((at) => BASE + at);
const onMinute = time.map((at) => at - (at % MINUTE));
const border = fc.oneof(time, fc.constantFrom(DAY - 1, DAY, DAY + 4 * HOUR, DAY + 8 * HOUR, DAY + 24 * HOUR));
const ordered = ([a, b]: readonly [number, number]) => ({ from: Math.min(a, b), until: Math.max(a, b) });

const happened = fc.record({
  ts: fc.oneof(time, onMinute),
  price: fc.integer({ min: 1, max: 99 }),
  qty: fc.integer({ min: 1, max: 9 }),
  reverted: fc.boolean(),
  repeats: fc.integer({ min: 0, max: 2 }),
});
const gap = fc.tuple(fc.tuple(time, time), fc.integer({ min: 0, max: 5 })).map(([pair, chance]): Gap => {
  const { from, until } = ordered(pair);
  return { from, until: chance === 0 ? null : until, isReal: chance !== 1 };
});
const bound = fc.option(fc.oneof(border, onMinute));

export const history: fc.Arbitrary<History> = fc
  .tuple(fc.array(happened, { minLength: 1, maxLength: 12 }), fc.constantFrom(...INTERVAL_NAMES))
  .chain(([trades, interval]) =>
    fc.record({
      isQuestion: fc.boolean(),
      trades: fc.constant(trades),
      order: fc.shuffledSubarray([...trades.keys()], { minLength: trades.length, maxLength: trades.length }),
      gaps: fc.array(gap, { maxLength: 3 }),
      ranges: fc.array(
        fc.record({
          source: fc.constantFrom('official_api' as const, 'external_exchange' as const),
          lengthMs: fc.constantFrom(MINUTE, HOUR, INTERVALS[interval]),
          span: fc.tuple(border, border).map(ordered),
        }),
        { maxLength: 5 },
      ),
      formingAge: fc.option(fc.constantFrom(0, 10_000, FORMING_MAX_AGE, FORMING_MAX_AGE + 1)),
      now: fc.oneof(time, fc.constant(Number.POSITIVE_INFINITY)),
      interval: fc.constant(interval),
      window: fc.record({ start: bound, end: bound, limit: fc.integer({ min: 1, max: 9 }) }),
    }),
  )
  .map(({ ranges, ...rest }) => ({
    ...rest,
    ranges: ranges.map(({ span, ...range }) => ({
      ...range,
      from: span.from,
      until: Math.min(span.until, floor(rest.now, range.lengthMs)),
    })),
  }));

export const textOf = (price: number) => formatDecimal(parseDecimal(`0.${String(price).padStart(2, '0')}`));
export const floor = (at: number, step: number) => Math.floor(at / step) * step;
/** The exchange sees other prices at the same times. */
export const seenByExchange = (trades: readonly Placed[]) => trades.map((one) => ({ ...one, price: 100 - one.price }));

/** Which trades were recorded, in order of arrival, which of these remain, and which happened in the end. */
export function placedOf({ isQuestion, trades, order, gaps, now }: History) {
  const all = order.map((at, arrival) => ({ ...trades[at]!, arrival: arrival + 1 }));
  const placed = all.filter(({ ts }) => ts <= now);
  const isMissed = ({ ts }: Happened) =>
    gaps.some(({ from, until, isReal }) => isReal && ts > from && (until === null || ts < until));
  const recorded = placed.filter((trade) => !isMissed(trade));
  const remains = ({ reverted }: Happened) => !isQuestion || !reverted;
  return { recorded, remaining: recorded.filter(remains), final: placed.filter(remains) };
}

export interface PlainBar {
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly trades: number;
}

/** The bar of some trades, in the order of their times; null for none. */
export function plainBar(trades: readonly Placed[]): PlainBar | null {
  if (trades.length === 0) return null;
  const sorted = [...trades].sort((a, b) => a.ts - b.ts || a.arrival - b.arrival);
  const prices = sorted.map(({ price }) => price);
  return {
    open: textOf(prices[0]!),
    high: textOf(Math.max(...prices)),
    low: textOf(Math.min(...prices)),
    close: textOf(prices.at(-1)!),
    volume: String(sorted.reduce((sum, { qty }) => sum + qty, 0)),
    trades: sorted.length,
  };
}

/** The trades in the venue's bar in progress; null if it has none, or is too old. */
export function formingTrades({ formingAge, now }: History, final: readonly Placed[], bucket: number, length: number) {
  if (formingAge === null || formingAge > FORMING_MAX_AGE || bucket !== floor(now, length)) return null;
  const known = final.filter(({ ts }) => ts >= bucket && ts < bucket + length && ts <= now - formingAge);
  return known.length > 0 ? known : null;
}

/** The rules of the contract, minute by minute, over all trades. */
export function plainSelector(given: History): (bucket: number) => { source: string | null; bar: PlainBar | null } {
  const { recorded, remaining, final } = placedOf(given);
  const { isQuestion, gaps, ranges, now, interval } = given;
  const stepMs = INTERVALS[interval];
  const first = Math.min(...recorded.map(({ ts }) => ts));
  const isTouched = (minute: number) =>
    gaps.some(({ from, until, isReal }) => isReal && from < minute + MINUTE && (until === null || until >= minute));
  const isOurs = (minute: number) => minute > first && !isTouched(minute);
  const isIn = (source: KnownRange['source'], bucket: number, length: number) =>
    ranges.some(
      (range) =>
        range.source === source && range.lengthMs === length && range.from <= bucket && bucket + length <= range.until,
    );
  const within = (trades: readonly Placed[], from: number, length: number) =>
    trades.filter(({ ts }) => ts >= from && ts < from + length);
  /** What the venue states of a bucket of a length: the trades in it; null for nothing. */
  const venueTrades = (bucket: number, length: number) => {
    if (isIn('official_api', bucket, length)) return within(final, bucket, length);
    return length === stepMs ? formingTrades(given, final, bucket, length) : null;
  };

  return (bucket) => {
    const parts = (length: number) =>
      Array.from({ length: Math.max(1, stepMs / length) }, (_, nth) => bucket + nth * length).filter(
        (start) => start === bucket || start <= now,
      );
    const minutes = parts(MINUTE).map((minute) => {
      const ours = isOurs(minute);
      return { isOurs: ours, trades: ours ? within(remaining, minute, MINUTE) : venueTrades(minute, MINUTE) };
    });
    if (minutes.every(({ trades }) => trades !== null)) {
      const ours = isQuestion ? 'trades' : 'venue_node';
      const source = minutes.every((minute) => minute.isOurs) ? ours : 'official_api';
      return { source, bar: plainBar(minutes.flatMap(({ trades }) => trades!)) };
    }
    const own = venueTrades(bucket, stepMs);
    if (own) return { source: 'official_api', bar: plainBar(own) };
    for (const length of isQuestion ? [] : [MINUTE, stepMs, HOUR]) {
      if (length > stepMs || !parts(length).every((part) => isIn('external_exchange', part, length))) continue;
      const covered = parts(length).flatMap((part) => within(seenByExchange(final), part, length));
      return { source: 'external_exchange', bar: plainBar(covered) };
    }
    return { source: null, bar: plainBar(within(remaining, bucket, stepMs)) };
  };
}

/** The windowing rules of the specification, applied to all candles, which are oldest first. */
export function plainWindow<T extends { readonly ts: number }>(
  candles: readonly T[],
  { start, end, limit }: Window,
  stepMs: number,
): T[] {
  if (start !== null && end !== null) return candles.filter(({ ts }) => ts >= start && ts < end).slice(-limit);
  if (start !== null) return candles.filter(({ ts }) => ts >= start).slice(0, limit);
  if (end !== null) return candles.filter(({ ts }) => ts + stepMs <= end).slice(-limit);
  return candles.slice(-limit);
}
