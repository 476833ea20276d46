/**
 * The ranges in which the venue's own bars are complete. A response that overlaps or adjoins earlier ones extends their
 * range under its id, so that a coin whose bars are requested again and again has few of them.
 */
import type { Emit } from '#infra/stages/stage';
import { covers, type Span } from '#schemas/domain/candles/spans';
import { type Candle, type CandleRange, venueCandleRangeTopics } from '#schemas/topics/candles';
import { oldestStored } from '#schemas/venues/venue-a/candle-snapshot';
import { joinRange, type StatedRange } from '../stated-ranges.ts';

/** A range is not extended any more when it ended so long ago, or if the venue stores no bar of it. */
const EXTENDED_FOR_MS = 30 * 86_400_000;

/** The ranges of the bars of one length of a coin. */
interface SeriesRanges {
  readonly intervalMs: number;
  readonly ranges: readonly StatedRange[];
}

/** By coin and length: those that a response may extend. */
export type BarRanges = Map<string, SeriesRanges>;

/** Emits the range of a response, unless earlier ones contain it. */
export function emitBarRange(series: BarRanges, range: CandleRange & Span, emit: Emit): void {
  const { coin, intervalMs, receivedAt } = range;
  const key = `${coin} ${intervalMs}`;
  const joined = joinRange(extensible(series.get(key), receivedAt), range, range.id);
  if (!joined) return;
  series.set(key, { intervalMs, ranges: joined.ranges });
  const emitRange = ({ id, from, until }: StatedRange, kind: CandleRange['kind']) =>
    emit(venueCandleRangeTopics.venue_a, coin, { ...range, id, kind, from, until });
  // First, so that at no time less is complete than before.
  emitRange(joined.range, 'complete');
  for (const absorbed of joined.absorbed) emitRange(absorbed, 'none');
}

/** True if earlier responses state the whole bucket of a bar: in the closed bar, or that it has none. */
export function isStated(series: BarRanges, { coin, intervalMs, openTime }: Candle): boolean {
  const known = series.get(`${coin} ${intervalMs}`);
  return known !== undefined && covers(known.ranges, openTime, openTime + intervalMs);
}

/** Forgets what no response extends any more. Runs once a day. */
export function forgetOldRanges(series: BarRanges, now: number): void {
  for (const [key, known] of series) {
    const ranges = extensible(known, now);
    if (ranges.length === 0) series.delete(key);
    else if (ranges.length < known.ranges.length) series.set(key, { ...known, ranges });
  }
}

function extensible(known: SeriesRanges | undefined, now: number): readonly StatedRange[] {
  if (!known) return [];
  const oldest = Math.max(oldestStored(known.intervalMs, now), now - EXTENDED_FOR_MS);
  return known.ranges.filter(({ until }) => until >= oldest);
}
