/** Spans of a time axis: what a chart shows, and how it is moved and zoomed; pure. */

/** Unix ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Limits of what may be shown. */
export interface SpanLimits {
  /** Least and largest width, ms. */
  readonly narrowest: number;
  readonly widest: number;
  /** Unix ms; a span may end a tenth of its width later. */
  readonly latest: number;
}

/** Part of a span that is shown beyond the latest time at most. */
const MARGIN = 0.1;

const widthOf = ({ from, to }: Span): number => to - from;

/** Moves a span by a part of its width; a positive part is later. */
export function shifted(span: Span, part: number): Span {
  const by = Math.round(widthOf(span) * part);
  return { from: span.from + by, to: span.to + by };
}

/** Makes a span wider (above 1) or narrower by a factor; the time at a part of its width stays where it is. */
export function zoomed(span: Span, factor: number, at = 0.5): Span {
  const width = widthOf(span);
  const fixed = span.from + width * at;
  const from = Math.round(fixed - width * factor * at);
  return { from, to: from + Math.round(width * factor) };
}

/**
 * The span after one or two pointers moved; what was below each of them stays below it.
 *
 * @param before where they were, as parts of the width; `after` has the same number of places.
 */
export function dragged(span: Span, before: readonly number[], after: readonly number[]): Span {
  const [b1 = 0, b2] = before;
  const [a1 = 0, a2] = after;
  if (b2 === undefined || a2 === undefined || Math.abs(a2 - a1) < 0.01) return shifted(span, b1 - a1);
  const width = widthOf(span);
  const factor = Math.abs((b2 - b1) / (a2 - a1));
  const from = Math.round(span.from + width * b1 - width * factor * a1);
  return { from, to: from + Math.round(width * factor) };
}

/** The nearest span within limits: first its width is limited, around its middle, then its end. */
export function limited(span: Span, { narrowest, widest, latest }: SpanLimits): Span {
  const width = Math.min(Math.max(widthOf(span), narrowest), widest);
  const from = width === widthOf(span) ? span.from : Math.round((span.from + span.to - width) / 2);
  const excess = from + width - (latest + Math.round(width * MARGIN));
  const start = Math.max(0, excess > 0 ? from - excess : from);
  return { from: start, to: start + width };
}

/**
 * The span to read for a span that is shown: wider, so that a small move needs no other read, and the same for spans
 * that are near each other. At most twice as wide, and two buckets.
 */
export function readSpan(span: Span, stepMs: number): Span {
  const width = widthOf(span);
  const margin = width / 4;
  const quantum = stepMs * 2 ** Math.max(0, Math.floor(Math.log2(margin / stepMs)));
  return {
    from: Math.max(0, Math.floor((span.from - margin) / quantum) * quantum),
    to: Math.ceil((span.to + margin) / quantum) * quantum,
  };
}
