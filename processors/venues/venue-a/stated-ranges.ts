/**
 * Joins the ranges that responses state, so that a series requested again and again is one range in the end: a query
 * reads all ranges of a coin.
 */
import type { Span } from '#schemas/domain/candles/spans';

/** A range in which the bars of a series are complete. */
export interface StatedRange extends Span {
  readonly id: string;
}

interface JoinedRanges {
  /** All ranges of the series, oldest first. */
  readonly ranges: readonly StatedRange[];
  /** The one that contains the added span. */
  readonly range: StatedRange;
  readonly isNew: boolean;
  /** Ranges that became part of it. */
  readonly absorbed: readonly StatedRange[];
}

/**
 * Adds a span to the ranges of a series. It joins the ranges that it touches, and the oldest of them passes on its id.
 * Null if nothing changes.
 * @param newId id of the range if it touches none.
 */
export function joinRange(ranges: readonly StatedRange[], { from, until }: Span, newId: string): JoinedRanges | null {
  const touched = ranges.filter((range) => range.from <= until && range.until >= from);
  const [oldest, ...absorbed] = touched;
  if (oldest && oldest.from <= from && oldest.until >= until) return null;
  const range = {
    id: oldest?.id ?? newId,
    from: Math.min(from, oldest?.from ?? from),
    until: Math.max(until, touched.at(-1)?.until ?? until),
  };
  const others = ranges.filter((other) => !touched.includes(other));
  return {
    ranges: [...others, range].sort((a, b) => a.from - b.from),
    range,
    isNew: oldest === undefined,
    absorbed,
  };
}
