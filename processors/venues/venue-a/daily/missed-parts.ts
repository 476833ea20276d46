/**
 * Joined buckets that turn out to lack a trade, since it was received after its bar was dropped (`derived.candle-ranges`
 * states a gap there). Their bars are dropped as well, so they cannot be repaired one by one: their figures count as
 * incomplete until the venue's own bars of all buckets with trades have arrived again.
 */
import { BUCKET_MS, bucketBit, type DayPart } from '#schemas/domain/candles/daily';
import { type SourceRange, spanOf } from '#schemas/domain/candles/select';
import { MINUTE_MS } from '#schemas/domain/candles/sources';
import { intersect, type Span, subtract, union } from '#schemas/domain/candles/spans';
import type { Perp, PerpDay } from './state.ts';

/** The buckets that a range of a source states, and no earlier one of its kind. */
export function newSpans(ranges: Iterable<SourceRange>, range: SourceRange): Span[] {
  const { source, intervalMs, kind } = range;
  const known = [...ranges].filter(
    (other) => other.source === source && other.intervalMs === intervalMs && other.kind === kind,
  );
  const spansOf = (all: readonly SourceRange[]) => union(all.map((one) => spanOf(one, intervalMs)));
  return subtract(spansOf([range]), spansOf(known));
}

/** Moves the joined parts of a day that a gap touches to those that lack a trade. Returns true if there are any. */
export function markMissed(known: PerpDay, gaps: readonly Span[]): boolean {
  const bitsIn = (part: DayPart) => touchedBits(gaps, part);
  for (const one of known.missed) one.awaited |= bitsIn(one.part);
  const missed = known.parts.filter((part) => bitsIn(part) !== 0n);
  if (missed.length === 0) return false;
  known.parts = known.parts.filter((part) => bitsIn(part) === 0n);
  known.missed.push(...missed.map((part) => ({ part, awaited: part.traded | bitsIn(part) })));
  known.isFinal = false;
  return true;
}

/**
 * Notes that the venue's own bar of a bucket arrived, and releases the part that it completes: a bucket without a bar in it
 * is without trades.
 */
export function restate(perp: Perp, known: PerpDay, openTime: number, sources: Iterable<string>): void {
  const missed = known.missed.find(({ part }) => openTime >= part.from && openTime < part.until);
  if (!missed) return;
  missed.awaited &= ~bucketBit(openTime);
  if (missed.awaited !== 0n) return;
  known.missed = known.missed.filter((one) => one !== missed);
  dropMinutes(perp, missed.part, sources);
}

/** The buckets of a part that gaps touch. */
function touchedBits(gaps: readonly Span[], part: DayPart): bigint {
  let bits = 0n;
  for (const { from, until } of intersect(gaps, [part]))
    for (let at = from; at < until; at = (Math.floor(at / BUCKET_MS) + 1) * BUCKET_MS) bits |= bucketBit(at);
  return bits;
}

/** States that no source has the minutes of a part any more, although there are ranges of them: only its new bars count. */
function dropMinutes({ ranges }: Perp, { from, until }: DayPart, sources: Iterable<string>): void {
  const intervalMs = MINUTE_MS;
  for (const source of sources)
    ranges.set(`${source} ${intervalMs} dropped ${from}`, { source, intervalMs, kind: 'gap', from, until: until - 1 });
}
