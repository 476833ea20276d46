/** Sets of time as sorted, disjoint spans `[from, until)`, in unix ms. */

export interface Span {
  readonly from: number;
  /** Exclusive; can be infinite. */
  readonly until: number;
}

/** Sorts and joins spans; empty ones are left out. */
export function union(spans: readonly Span[]): Span[] {
  const joined: { from: number; until: number }[] = [];
  for (const { from, until } of [...spans].sort((a, b) => a.from - b.from)) {
    if (from >= until) continue;
    const last = joined.at(-1);
    if (last && from <= last.until) last.until = Math.max(last.until, until);
    else joined.push({ from, until });
  }
  return joined;
}

/** Returns what is in `spans` and in none of `others`; both are results of `union`. */
export function subtract(spans: readonly Span[], others: readonly Span[]): Span[] {
  const rest: Span[] = [];
  for (const span of spans) {
    let { from } = span;
    for (const other of others) {
      if (other.until <= from) continue;
      if (other.from >= span.until) break;
      if (other.from > from) rest.push({ from, until: other.from });
      from = other.until;
    }
    if (from < span.until) rest.push({ from, until: span.until });
  }
  return rest;
}

/** Returns what is in both; each is a result of `union`. */
export function intersect(spans: readonly Span[], others: readonly Span[]): Span[] {
  return subtract(spans, subtract(spans, others));
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

/** True if the spans, a result of `union`, contain all of `[from, until)`. */
export function covers(spans: readonly Span[], from: number, until: number): boolean {
  const span = lastFrom(spans, from);
  return span !== undefined && until <= span.until;
}

/** The last span that starts at a time or before. */
function lastFrom(spans: readonly Span[], time: number): Span | undefined {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.from <= time) low = middle + 1;
    else high = middle;
  }
  return spans[low - 1];
}
