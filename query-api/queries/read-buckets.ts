/** How much of a window is read: as little as gives the limit of rows. */
import { MINUTE_MS } from '#schemas/domain/candles/sources';
import { type Buckets, bucketsOf, type CandleWindow, firstBuckets, narrowTo } from './candle-window.ts';

/** Share of buckets that are read at first beyond those that are needed: some have no trade. */
const EMPTY_SHARE = 0.1;
/** Rows scanned at first for each requested minute: some are of other sources or older versions of a minute. */
const ROWS_PER_MINUTE = 2;
/** Growth factor of the scan window when too few candles were found. */
const WINDOW_GROWTH = 16;

/** Reads buckets of some instruments. */
export interface BucketReader<R> {
  /** Reads the rows of a range, at least as many as its limit if there are so many. */
  read(range: Buckets): Promise<R>;
  /** The time of the `rows`-th stored bar from the end where the limit counts; null if there are fewer bars. */
  timeOfRow(buckets: Buckets, rows: number): Promise<number | null>;
  /** The most rows of one bucket. */
  readonly rowsOfOne: number;
}

/**
 * Reads as many buckets as give at least `limit` rows, if there are so many.
 *
 * First it reads as many buckets as are needed if hardly any is empty, up to the current time. If they are too few, the
 * same from the first stored bar on. If these are too few, a query of the sorting key determines a range with enough
 * bars, so that `FINAL` merges only that range.
 */
export async function readBuckets<R extends { readonly rows: { readonly length: number } }>(
  window: CandleWindow,
  now: number | null,
  { read, timeOfRow, rowsOfOne }: BucketReader<R>,
): Promise<R> {
  const buckets = bucketsOf(window);
  const { stepMs, limit } = buckets;
  const needed = Math.ceil((limit / rowsOfOne) * (1 + EMPTY_SHARE));
  if (buckets.until - buckets.from <= needed * stepMs) return read(buckets);
  const newest = Math.min(buckets.until - 1, now ?? Number.POSITIVE_INFINITY);
  const guessed = await read(firstBuckets(buckets, buckets.oldestFirst ? buckets.from : newest, needed));
  if (guessed.rows.length >= limit) return guessed;
  const edge = await timeOfRow(buckets, 1);
  if (edge === null) return read(buckets);
  const first = await read(firstBuckets(buckets, edge, needed));
  if (first.rows.length >= limit) return first;
  for (let scanned = limit * (stepMs / MINUTE_MS) * ROWS_PER_MINUTE; ; scanned *= WINDOW_GROWTH) {
    const time = await timeOfRow(buckets, scanned);
    const range = time === null ? buckets : narrowTo(buckets, time);
    const found = await read(range);
    if (found.rows.length >= limit || time === null) return found;
  }
}
