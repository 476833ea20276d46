import { INTERVALS, type Interval } from '#schemas/domain/candles/sources';

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
export interface Buckets {
  readonly stepMs: number;
  readonly limit: number;
  /** Start of the first bucket, unix ms. */
  readonly from: number;
  /** End of the last bucket, unix ms. */
  readonly until: number;
  readonly oldestFirst: boolean;
}

/** End of a window without one: the start of the last full day that the column type can represent. */
export const LATEST_MS = 10_413_705_600_000;

/** The buckets of a window (specification, candle windowing). With only an end, a bar must have closed by then. */
export function bucketsOf({ interval, start, end, limit }: CandleWindow): Buckets {
  const stepMs = INTERVALS[interval];
  const up = (ms: number) => Math.ceil(ms / stepMs) * stepMs;
  const from = start === null ? 0 : Math.min(up(start), LATEST_MS);
  const open = end === null || end >= LATEST_MS;
  const until = open ? LATEST_MS : start === null ? Math.floor(end / stepMs) * stepMs : up(end);
  return { stepMs, limit, from, until, oldestFirst: start !== null && end === null };
}

/** Narrows the buckets to the first `count` of them from a time on, from the end where the limit counts. */
export function firstBuckets(buckets: Buckets, time: number, count: number): Buckets {
  const { stepMs, oldestFirst, from, until } = buckets;
  const bucket = Math.floor(time / stepMs) * stepMs;
  if (oldestFirst) return { ...buckets, until: Math.min(until, bucket + count * stepMs) };
  return { ...buckets, from: Math.max(from, bucket - (count - 1) * stepMs) };
}

/** Narrows the buckets to those up to and including the bucket of a time, from the end where the limit counts. */
export function narrowTo(buckets: Buckets, time: number): Buckets {
  const bucket = Math.floor(time / buckets.stepMs) * buckets.stepMs;
  return buckets.oldestFirst ? { ...buckets, until: bucket + buckets.stepMs } : { ...buckets, from: bucket };
}
