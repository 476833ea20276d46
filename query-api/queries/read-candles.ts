import type { Parameter, Store } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';

/** Bar lengths that can be asked for, in ms. */
export const INTERVALS = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
} as const;
export type Interval = keyof typeof INTERVALS;

/** A bar with exact decimals as text. */
export interface Bar {
  /** Start of the bucket, unix ms. */
  readonly ts: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  /** Null where minutes of several sources make up the bar. */
  readonly source: string | null;
}

/** What is asked for, as in the specification (candle windowing). */
export interface CandleWindow {
  readonly interval: Interval;
  /** Unix ms, inclusive; null is open. */
  readonly start: number | null;
  /** Unix ms, exclusive; null is open. */
  readonly end: number | null;
  readonly limit: number;
}

/** Which bars come into question, by the start of their bucket, and from which end the limit counts. */
interface Buckets {
  readonly stepMs: number;
  readonly limit: number;
  /** First bucket, unix ms. */
  readonly from: number;
  /** Bucket after the last, unix ms. */
  readonly until: number;
  readonly oldestFirst: boolean;
}

type Reader = Pick<Store, 'query'>;
type Coin = { readonly provider: string; readonly coin: string };

const MINUTE_MS = 60_000;
/** The end of a window that has none: the last whole day that the column holds. */
const FOR_EVER_MS = 10_413_705_600_000;
/** Rows looked at first for each minute that is asked for: some are older states of a minute. */
const ROWS_PER_MINUTE = 2;
const WIDER = 16;

/**
 * Bars of a coin, oldest first, put together from one-minute bars in exact decimals. With a start alone the first
 * `limit` from it on, otherwise the newest `limit`; with an end alone only bars that closed by it.
 *
 * As with trades, the sorting key is read first for how far the bars reach, so that `FINAL` merges only those.
 */
export async function readCandles(store: Reader, coin: Coin, window: CandleWindow): Promise<Bar[]> {
  const buckets = bucketsOf(window);
  const { stepMs, limit, oldestFirst } = buckets;
  for (let rows = limit * (stepMs / MINUTE_MS) * ROWS_PER_MINUTE; ; rows *= WIDER) {
    const edge = await minuteOfRow(store, coin, buckets, rows);
    const part = edge === null ? buckets : cutAt(buckets, edge);
    const bars = await barsOf(store, coin, part);
    if (bars.length >= limit || edge === null) return oldestFirst ? bars : bars.reverse();
  }
}

/** Buckets of a window (specification, candle windowing): with an end alone a bar must have closed by it. */
export function bucketsOf({ interval, start, end, limit }: CandleWindow): Buckets {
  const stepMs = INTERVALS[interval];
  const up = (ms: number) => Math.ceil(ms / stepMs) * stepMs;
  const from = start === null ? 0 : Math.min(up(start), FOR_EVER_MS);
  const open = end === null || end >= FOR_EVER_MS;
  const until = open ? FOR_EVER_MS : start === null ? Math.floor(end / stepMs) * stepMs : up(end);
  return { stepMs, limit, from, until, oldestFirst: start !== null && end === null };
}

/** The buckets on this side of a minute, with that minute's whole bucket. */
function cutAt(buckets: Buckets, minute: number): Buckets {
  const bucket = Math.floor(minute / buckets.stepMs) * buckets.stepMs;
  return buckets.oldestFirst ? { ...buckets, until: bucket + buckets.stepMs } : { ...buckets, from: bucket };
}

const WITHIN = `provider = {provider:String} AND coin = {coin:String}
  AND openTime >= fromUnixTimestamp64Milli({from:Int64}) AND openTime < fromUnixTimestamp64Milli({until:Int64})`;

function parametersOf(coin: Coin, { from, until }: Buckets): Record<string, Parameter> {
  return { provider: coin.provider, coin: coin.coin, from, until };
}

/** Minute of the row that is the `rows`-th from the end that the limit counts from; null when there are not so many. */
async function minuteOfRow(store: Reader, coin: Coin, buckets: Buckets, rows: number): Promise<number | null> {
  const { oldestFirst } = buckets;
  const [found] = await store.query<{ minute: number; counted: number }>(
    `SELECT ${unixMs(oldestFirst ? 'max(openTime)' : 'min(openTime)')} AS minute, toFloat64(count()) AS counted
     FROM (SELECT openTime FROM candles WHERE ${WITHIN}
       ORDER BY openTime ${oldestFirst ? 'ASC' : 'DESC'} LIMIT {rows:UInt64})`,
    { ...parametersOf(coin, buckets), rows },
  );
  return found && found.counted >= rows ? found.minute : null;
}

/** Bars in the order in which the limit counts. */
function barsOf(store: Reader, coin: Coin, buckets: Buckets): Promise<Bar[]> {
  const { stepMs, limit, oldestFirst } = buckets;
  return store.query<Bar>(
    `SELECT toFloat64(bucket) AS ts, argMin(open, openMs) AS open, max(high) AS high, min(low) AS low,
       argMax(close, openMs) AS close, sum(volume) AS volume, if(uniqExact(source) = 1, any(source), NULL) AS source
     FROM (
       SELECT toUnixTimestamp64Milli(openTime) AS openMs, intDiv(openMs, {stepMs:Int64}) * {stepMs:Int64} AS bucket,
         open, high, low, close, volume, source
       FROM candles FINAL WHERE ${WITHIN}
     )
     GROUP BY bucket ORDER BY bucket ${oldestFirst ? 'ASC' : 'DESC'} LIMIT {limit:UInt32}`,
    { ...parametersOf(coin, buckets), stepMs, limit },
  );
}
