/**
 * Remembers the ranges of instruments that were read, so that bars can be read at the same time as the ranges.
 *
 * A range is stored after the bars that it promises, so bars must be read after the ranges that count. If the ranges are
 * the same as in an earlier read, that one was before the bars, even if these are read together with the ranges.
 */
import { LRUCache } from 'lru-cache';
import type { Span } from '#schemas/domain/candles/spans';
import { type Buckets, LATEST_MS } from './candle-window.ts';
import type { Reader } from './query.ts';
import { type RangeOfInstrument, readRanges } from './read-source-bars.ts';
import type { BarInstrument } from './stored-bar.ts';

/** Reads whose ranges are remembered, for each store. */
const READS_MAX = 1_000;
/** An instrument with more ranges is not remembered. */
const RANGES_MAX = 100;

const readsOf = new WeakMap<Reader, LRUCache<string, readonly RangeOfInstrument[]>>();

export interface KnownRanges {
  /** The ranges that touch the buckets, as they were at an earlier read; undefined if that is not known. */
  readonly known: readonly RangeOfInstrument[] | undefined;
  /** The same as they are now. */
  readonly current: Promise<RangeOfInstrument[]>;
}

/** Reads the ranges of an instrument that touch some buckets. */
export function readKnownRanges(store: Reader, instrument: BarInstrument, buckets: Buckets): KnownRanges {
  let reads = readsOf.get(store);
  if (!reads) {
    reads = new LRUCache({ max: READS_MAX });
    readsOf.set(store, reads);
  }
  const span = widened(buckets);
  const key = JSON.stringify([instrument.provider, instrument.coin, span.from, span.until]);
  const known = reads.get(key);
  const current = readRanges(store, [instrument], span).then((found) => {
    if (found.length <= RANGES_MAX) reads.set(key, found);
    else reads.delete(key);
    return found.filter((range) => touches(range, buckets));
  });
  return { known: known?.filter((range) => touches(range, buckets)), current };
}

/** True if the ranges of a source are the same in two reads. */
export function areSame(
  before: readonly RangeOfInstrument[],
  now: readonly RangeOfInstrument[],
  source: string,
): boolean {
  const textOf = (ranges: readonly RangeOfInstrument[]) =>
    ranges
      .filter((range) => range.source === source)
      .map(({ intervalMs, kind, from, until }) => JSON.stringify([intervalMs, kind, from, until]))
      .sort()
      .join();
  return textOf(before) === textOf(now);
}

/** A span that contains the buckets, and also most of the windows of that size that are read soon after. */
function widened({ from, until, limit, stepMs }: Buckets): Span {
  const length = 2 ** Math.ceil(Math.log2(limit * stepMs));
  return {
    from: Math.floor(from / length) * length,
    until: Math.min(Math.ceil(until / length) * length, LATEST_MS),
  };
}

/** As in the query of the ranges. */
function touches(range: RangeOfInstrument, { from, until }: Span): boolean {
  return range.from < until && (range.until === null || range.until >= from);
}
