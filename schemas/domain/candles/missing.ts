/** Which buckets are complete in no source. */
import type { Selector } from './select.ts';
import { type Span, union } from './spans.ts';

/** The buckets between two times that are complete in no source, as spans; without those that the venue answered. */
export function missingSpans(select: Selector, { from, until }: Span, stepMs: number): Span[] {
  const missing: Span[] = [];
  for (let bucket = from; bucket < until; bucket += stepMs) {
    const { source, isContradicted } = select(bucket);
    if (source === null && !isContradicted) missing.push({ from: bucket, until: bucket + stepMs });
  }
  return union(missing);
}

/** Joins the spans that are closest to each other until there are at most `max`. They are sorted and disjoint. */
export function joinNearest(spans: readonly Span[], max: number): Span[] {
  if (spans.length <= max) return [...spans];
  const distance = (at: number) => spans[at]!.from - spans[at - 1]!.until;
  const borders = spans.slice(1).map((_, at) => at + 1);
  const largest = new Set([...borders].sort((a, b) => distance(b) - distance(a)).slice(0, max - 1));
  const joined: Span[] = [];
  for (const [at, span] of spans.entries()) {
    if (at === 0 || largest.has(at)) joined.push(span);
    else joined[joined.length - 1] = { from: joined.at(-1)!.from, until: span.until };
  }
  return joined;
}
