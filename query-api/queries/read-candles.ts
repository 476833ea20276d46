import { createSelector, type Selector, splitPoints } from '#schemas/domain/candles/select';
import { baseLengths, sourceRulesOf } from '#schemas/domain/candles/sources';
import { formatDecimal } from '#schemas/domain/decimal';
import { marketKey } from '#schemas/domain/providers';
import { type Buckets, bucketsOf, type CandleWindow, narrowTo } from './candle-window.ts';
import type { Reader } from './query.ts';
import { type BarInstrument, readRanges, readSourceBars, timeOfRow } from './read-source-bars.ts';

/** A bar as it is served; its decimals are exact, as text. */
export interface Candle {
  /** Start of the bucket, unix ms. */
  readonly ts: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly trades: number;
  /** Null if the bucket is complete in no source. */
  readonly source: string | null;
}

/** Rows scanned at first for each requested minute: some are of other sources or older versions of a minute. */
const ROWS_PER_MINUTE = 2;
/** Growth factor of the scan window when too few candles were found. */
const WINDOW_GROWTH = 16;
const MINUTE_MS = 60_000;

/**
 * Reads the candles of a coin, oldest first. With only a start it returns the first `limit` from there, otherwise the
 * newest `limit`; with only an end, only those that were closed by then.
 * @param now the pipeline's time, unix ms; null if it is unknown.
 */
export async function readCandles(
  store: Reader,
  coin: BarInstrument,
  window: CandleWindow,
  now: number | null,
): Promise<Candle[]> {
  const found = await readBuckets(store, [coin], window, now, (selectorOf, ts) => {
    const candle = candleOf(ts, selectorOf(coin)(ts));
    return candle ? [candle] : [];
  });
  return window.start !== null && window.end === null ? found.slice(0, window.limit) : found.slice(-window.limit);
}

/** The candle of a bucket; null without a trade. */
export function candleOf(ts: number, { source, bar }: ReturnType<Selector>): Candle | null {
  if (!bar) return null;
  const { open, high, low, close, volume, trades } = bar;
  const [openText, highText, lowText] = [formatDecimal(open), formatDecimal(high), formatDecimal(low)];
  const prices = { open: openText, high: highText, low: lowText, close: formatDecimal(close) };
  return { ts, ...prices, volume: formatDecimal(volume), trades, source };
}

/** Returns the selector of an instrument. */
export type Selectors = (instrument: BarInstrument) => Selector;

/**
 * Reads as many buckets of some instruments as give at least `limit` rows, if there are so many. `rowsOf` makes the rows
 * of a bucket. Returns all of these rows, the oldest bucket first.
 *
 * A query of the sorting key first determines the range, so that `FINAL` merges only that range.
 */
export async function readBuckets<T>(
  store: Reader,
  instruments: readonly BarInstrument[],
  window: CandleWindow,
  now: number | null,
  rowsOf: (selectorOf: Selectors, bucket: number) => readonly T[],
): Promise<T[]> {
  const buckets = bucketsOf(window);
  const { stepMs, limit } = buckets;
  const lengths = [...new Set(instruments.flatMap(({ provider }) => baseLengths(sourceRulesOf(provider), stepMs)))];
  for (let scanned = limit * (stepMs / MINUTE_MS) * ROWS_PER_MINUTE; ; scanned *= WINDOW_GROWTH) {
    const time = await timeOfRow(store, instruments, lengths, buckets, scanned);
    const range = time === null ? buckets : narrowTo(buckets, time);
    const { selectorOf, starts } = await readSelectors(store, instruments, lengths, range, now);
    const rows = starts.flatMap((bucket) => rowsOf(selectorOf, bucket));
    if (rows.length >= limit || time === null) return rows;
  }
}

async function readSelectors(
  store: Reader,
  instruments: readonly BarInstrument[],
  lengths: readonly number[],
  buckets: Buckets,
  now: number | null,
): Promise<{ readonly selectorOf: Selectors; readonly starts: readonly number[] }> {
  const { stepMs } = buckets;
  const time = now ?? Number.POSITIVE_INFINITY;
  const ranges = await readRanges(store, instruments, buckets);
  const bars = await readSourceBars(store, instruments, lengths, buckets, splitPoints(ranges, time));
  const barsByCoin = groupByCoin(bars);
  const rangesByCoin = groupByCoin(ranges);
  const selectors = new Map(
    instruments.map(({ provider, coin }) => {
      const key = marketKey(provider, coin);
      const known = { bars: barsByCoin.get(key) ?? [], ranges: rangesByCoin.get(key) ?? [] };
      return [key, createSelector({ ...known, rules: sourceRulesOf(provider), stepMs, now: time })] as const;
    }),
  );
  const starts = new Set(bars.map(({ openTime }) => Math.floor(openTime / stepMs) * stepMs));
  return {
    selectorOf: ({ provider, coin }) => selectors.get(marketKey(provider, coin))!,
    starts: [...starts].sort((a, b) => a - b),
  };
}

function groupByCoin<T extends BarInstrument>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = marketKey(row.provider, row.coin);
    const others = groups.get(key);
    if (others) others.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}
