import type { Store } from '#infra/store/store';
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
  readonly source: string | null;
}

export interface CandleWindow {
  readonly interval: Interval;
  /** Unix ms, inclusive; null is open. */
  readonly start: number | null;
  /** Unix ms, exclusive; null is open. */
  readonly end: number | null;
  readonly limit: number;
}

/**
 * Bars of a coin, oldest first, put together from one-minute bars. With a start alone the first `limit` from it on,
 * otherwise the newest `limit` (specification, candle windowing). A bar of several sources has none of them: null.
 */
export async function readCandles(
  store: Store,
  coin: string,
  { interval, start, end, limit }: CandleWindow,
): Promise<Bar[]> {
  const stepMs = INTERVALS[interval];
  const forward = start !== null && end === null;
  const from = start ?? 0;
  // With an end alone the bar must have closed by then; with both bounds it must have begun before it.
  const until = end === null ? Number.MAX_SAFE_INTEGER : start === null ? end - stepMs + 1 : end;
  const rows = await store.query<Bar>(
    `SELECT toFloat64(bucket) AS ts, argMin(open, openMs) AS open, max(high) AS high, min(low) AS low,
       argMax(close, openMs) AS close, sum(volume) AS volume, if(uniqExact(source) = 1, any(source), NULL) AS source
     FROM (
       SELECT ${unixMs('openTime')} AS openMs, intDiv(toInt64(openMs), {stepMs:Int64}) * {stepMs:Int64} AS bucket,
         open, high, low, close, volume, source
       FROM candles FINAL WHERE coin = {coin:String}
     )
     WHERE bucket >= {from:Int64} AND bucket < {until:Int64}
     GROUP BY bucket ORDER BY bucket ${forward ? 'ASC' : 'DESC'} LIMIT {limit:UInt32}`,
    { coin, stepMs, from, until, limit },
  );
  return forward ? rows : rows.reverse();
}
