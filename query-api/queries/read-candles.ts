import type { Parameter } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import { query, type Reader } from './query.ts';

/** Supported lengths of bars, ms. */
export const INTERVALS = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
} as const;
export type Interval = keyof typeof INTERVALS;

/** A bar; its decimals are exact, as text. */
export interface Bar {
  /** Start of the bucket, unix ms. */
  readonly ts: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  /** Null if the minutes of the bar come from several sources. */
  readonly source: string | null;
}

/** A requested window (specification, candle windowing). */
export interface CandleWindow {
  readonly interval: Interval;
  /** Unix ms, inclusive; null means no bound. */
  readonly start: number | null;
  /** Unix ms, exclusive; null means no bound. */
  readonly end: number | null;
  readonly limit: number;
}

/** The range of bucket starts, and the end from which the limit counts. */
interface Buckets {
  readonly stepMs: number;
  readonly limit: number;
  /** Start of the first bucket, unix ms. */
  readonly from: number;
  /** End of the last bucket, unix ms. */
  readonly until: number;
  readonly oldestFirst: boolean;
}

type Coin = { readonly provider: string; readonly coin: string };

const MINUTE_MS = 60_000;
/** End of a window without one: the start of the last full day that the column type can represent. */
const LATEST_MS = 10_413_705_600_000;
/** Rows scanned at first for each requested minute: some are older versions of a minute. */
const ROWS_PER_MINUTE = 2;
/** Growth factor of the scan window when too few bars were found. */
const WINDOW_GROWTH = 16;

/**
 * Reads bars of a coin, oldest first, aggregated from one-minute bars in exact decimals. With only a start it returns
 * the first `limit` bars from there, otherwise the newest `limit`; with only an end, only bars that were closed by
 * then.
 *
 * As with trades, a query of the sorting key first determines the range, so that `FINAL` merges only that range.
 */
export async function readCandles(store: Reader, coin: Coin, window: CandleWindow): Promise<Bar[]> {
  const buckets = bucketsOf(window);
  const { stepMs, limit, oldestFirst } = buckets;
  for (let rows = limit * (stepMs / MINUTE_MS) * ROWS_PER_MINUTE; ; rows *= WINDOW_GROWTH) {
    const lastMinute = await minuteOfRow(store, coin, buckets, rows);
    const range = lastMinute === null ? buckets : narrowTo(buckets, lastMinute);
    const bars = await barsOf(store, coin, range);
    if (bars.length >= limit || lastMinute === null) return oldestFirst ? bars : bars.reverse();
  }
}

/** The buckets of a window (specification, candle windowing). With only an end, a bar must have closed by then. */
export function bucketsOf({ interval, start, end, limit }: CandleWindow): Buckets {
  const stepMs = INTERVALS[interval];
  const up = (ms: number) => Math.ceil(ms / stepMs) * stepMs;
  const from = start === null ? 0 : Math.min(up(start), LATEST_MS);
  const open = end === null || end >= LATEST_MS;
  const until = open ? LATEST_MS : start === null ? Math.floor(end / stepMs) * stepMs : up(end);
  return { stepMs, limit, from, until, oldestFirst: start !== null && end === null };
}

/** Narrows the buckets to those up to and including the bucket of a minute, from the end where the limit counts. */
function narrowTo(buckets: Buckets, minute: number): Buckets {
  const bucket = Math.floor(minute / buckets.stepMs) * buckets.stepMs;
  return buckets.oldestFirst ? { ...buckets, until: bucket + buckets.stepMs } : { ...buckets, from: bucket };
}

const IN_RANGE = `provider = {provider:String} AND coin = {coin:String}
  AND openTime >= fromUnixTimestamp64Milli({from:Int64}) AND openTime < fromUnixTimestamp64Milli({until:Int64})`;

function parametersOf(coin: Coin, { from, until }: Buckets): Record<string, Parameter> {
  return { provider: coin.provider, coin: coin.coin, from, until };
}

/** The minute of the `rows`-th row from the end where the limit counts; null if there are fewer rows. */
function minuteOfRow(store: Reader, coin: Coin, buckets: Buckets, rows: number): Promise<number | null> {
  const { oldestFirst } = buckets;
  return query(store, {
    name: 'candles-range',
    sql: `SELECT ${unixMs(oldestFirst ? 'max(openTime)' : 'min(openTime)')} AS minute, toFloat64(count()) AS counted
     FROM (SELECT openTime FROM candles WHERE ${IN_RANGE}
       ORDER BY openTime ${oldestFirst ? 'ASC' : 'DESC'} LIMIT {rows:UInt64})`,
    parameters: { ...parametersOf(coin, buckets), rows },
    parse: ([found]: { minute: number; counted: number }[]) => (found && found.counted >= rows ? found.minute : null),
  });
}

/** Reads bars in the order in which the limit counts. */
function barsOf(store: Reader, coin: Coin, buckets: Buckets): Promise<Bar[]> {
  const { stepMs, limit, oldestFirst } = buckets;
  return query(store, {
    name: 'candles',
    sql: `SELECT toFloat64(bucket) AS ts, argMin(open, openMs) AS open, max(high) AS high, min(low) AS low,
       argMax(close, openMs) AS close, sum(volume) AS volume, if(uniqExact(source) = 1, any(source), NULL) AS source
     FROM (
       SELECT toUnixTimestamp64Milli(openTime) AS openMs, intDiv(openMs, {stepMs:Int64}) * {stepMs:Int64} AS bucket,
         open, high, low, close, volume, source
       FROM candles FINAL WHERE ${IN_RANGE}
     )
     GROUP BY bucket ORDER BY bucket ${oldestFirst ? 'ASC' : 'DESC'} LIMIT {limit:UInt32}`,
    parameters: { ...parametersOf(coin, buckets), stepMs, limit },
    parse: (bars: Bar[]) => bars,
  });
}
