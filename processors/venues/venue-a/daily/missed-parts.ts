/**
 * Joined buckets that turn out to lack a trade, since it was received after its bar was dropped (`derived.candle-ranges`
 * states a gap there). Their bars are dropped as well, so they cannot be repaired one by one: their figures count as
 * incomplete until the venue has stated all of their buckets again.
 */
import type { DayPart } from '#schemas/domain/candles/daily';
import { type SourceRange, spanOf } from '#schemas/domain/candles/select';
import { MINUTE_MS } from '#schemas/domain/candles/sources';
import { covers, intersect, type Span, subtract, union } from '#schemas/domain/candles/spans';
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
  const isMissed = ({ from, until }: DayPart) => gaps.some((gap) => gap.from < until && gap.until > from);
  const missed = known.parts.filter(isMissed);
  if (missed.length === 0) return false;
  known.parts = known.parts.filter((part) => !isMissed(part));
  known.missed.push(...missed.map((part) => ({ part, restated: [] })));
  known.isFinal = false;
  return true;
}

/** Notes the buckets that the venue states with its own bars of their length, and releases the parts that it stated whole. */
export function restate(perp: Perp, known: PerpDay, spans: readonly Span[], sources: Iterable<string>): void {
  for (const one of known.missed) {
    const within = intersect(spans, [one.part]);
    one.restated = union([...one.restated, ...within]);
  }
  const isRestated = ({ part, restated }: PerpDay['missed'][number]) => covers(restated, part.from, part.until);
  const restated = known.missed.filter(isRestated);
  known.missed = known.missed.filter((one) => !isRestated(one));
  for (const { part } of restated) dropMinutes(perp, part, sources);
}

/** States that no source has the minutes of a part any more, although there are ranges of them: only its new bars count. */
function dropMinutes({ ranges }: Perp, { from, until }: DayPart, sources: Iterable<string>): void {
  const intervalMs = MINUTE_MS;
  for (const source of sources)
    ranges.set(`${source} ${intervalMs} dropped ${from}`, { source, intervalMs, kind: 'gap', from, until: until - 1 });
}
