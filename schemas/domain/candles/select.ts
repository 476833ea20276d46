/**
 * Selects the bar of a bucket from the bars of several sources and the ranges in which these are complete (contract,
 * "Candles"). Everything that serves candles uses it.
 */
import type { Candle } from '../../topics/candles.ts';
import { parseDecimal } from '../decimal.ts';
import { type Bar, concatenate, momentOf } from './bars.ts';
import { MINUTE_MS, type SourceRules } from './sources.ts';
import { covers, type Span, subtract, union } from './spans.ts';

/** A stored bar, or stored bars of one source between two `splitPoints`, already joined. */
export interface SourceBar {
  readonly source: string;
  /** Length of the stored bars, ms. */
  readonly intervalMs: number;
  /** Start of the first of them, unix ms. */
  readonly openTime: number;
  /** When the last of them was received, unix ms. */
  readonly receivedAt: number;
  readonly bar: Bar;
}

/** A stored bar as it is written to a topic. */
export function sourceBarOf(candle: Candle): SourceBar {
  const { source, intervalMs, openTime, receivedAt, trades } = candle;
  const bar = {
    open: parseDecimal(candle.open),
    high: parseDecimal(candle.high),
    low: parseDecimal(candle.low),
    close: parseDecimal(candle.close),
    volume: parseDecimal(candle.volume),
    trades,
    openAt: momentOf(candle.openTs, candle.openArrival, openTime, intervalMs),
    closeAt: momentOf(candle.closeTs, candle.closeArrival, openTime, intervalMs),
  };
  return { source, intervalMs, openTime, receivedAt, bar };
}

export interface SourceRange {
  readonly source: string;
  readonly intervalMs: number;
  readonly kind: 'complete' | 'gap' | 'none';
  readonly from: number;
  readonly until: number | null;
}

/** What is known of one instrument. */
export interface InstrumentBars {
  readonly rules: SourceRules;
  readonly bars: readonly SourceBar[];
  readonly ranges: readonly SourceRange[];
  /** Length of the wanted bars, ms. */
  readonly stepMs: number;
  /** Current time, unix ms: what begins later has not happened. Infinite if no bucket is in progress. */
  readonly now: number;
}

export interface Selection {
  /** Null if the bucket is complete in no source. */
  readonly source: string | null;
  /** Undefined if no trade is known. */
  readonly bar: Bar | undefined;
  /** When the bar in progress that a source calculated was received, unix ms; absent for any other bar. */
  readonly formingAt?: number;
  /** True if the venue reported fewer trades of the bucket than were recorded, so that its bar was not used. */
  readonly isContradicted?: boolean;
  /** When the last of its bars was received, unix ms; absent if that bar was recorded, or if there is none. */
  readonly receivedAt?: number;
}

/** Selects the bar of the bucket that starts at a time. */
export type Selector = (bucket: number) => Selection;

/** A bar in progress that a source calculated is used for this long. */
const FORMING_MAX_AGE_MS = 30_000;

export function createSelector({ rules, bars, ranges, stepMs, now }: InstrumentBars): Selector {
  const sorted = [...bars].sort((a, b) => a.openTime - b.openTime);
  const options = rules.rules
    .map(({ base, ...rule }) => ({ ...rule, baseMs: base === 'same' ? stepMs : base }))
    .filter(({ baseMs }) => baseMs <= stepMs)
    .map((rule) => ({ ...rule, ...layers(rule.sources, rule.baseMs) }));

  /** The spans of each source, and of the first one, the first two, and so on. */
  function layers(sources: readonly string[], baseMs: number) {
    const own = sources.map((source) => completeSpans({ rules, bars, ranges, now }, source, baseMs));
    const joined = own.map((_, at) => union(own.slice(0, at + 1).flat()));
    return { own, joined };
  }

  return (bucket) => {
    const found: SourceBar[] = [];
    for (let at = firstFrom(sorted, bucket); at < sorted.length; at += 1) {
      const bar = sorted[at]!;
      if (bar.openTime >= bucket + stepMs) break;
      found.push(bar);
    }
    const recorded = found.filter(({ source, intervalMs }) => source === rules.recorded && intervalMs === MINUTE_MS);
    let isContradicted = false;
    for (const { sources, own, joined, baseMs, isOtherMarket } of options) {
      // What has not begun needs no source. A trade may be ahead of the current time.
      const begun = floor(now, baseMs) + baseMs;
      const until = Math.max(bucket + baseMs, Math.min(bucket + stepMs, begun));
      const at = joined.findIndex((spans) => covers(spans, bucket, until));
      if (at === -1) continue;
      const chosen: SourceBar[] = [];
      let formingAt = Number.POSITIVE_INFINITY;
      let last: SourceBar | undefined;
      for (const bar of found) {
        const { source, intervalMs, openTime, receivedAt } = bar;
        if (intervalMs !== baseMs) continue;
        if (source !== sources[own.findIndex((spans) => covers(spans, openTime, openTime + 1))]) continue;
        chosen.push(bar);
        if (!last || openTime > last.openTime) last = bar;
        const isForming = source !== rules.recorded && openTime === floor(now, baseMs);
        if (isForming && receivedAt < formingAt) formingAt = receivedAt;
      }
      const selection = {
        source: sources[at]!,
        bar: joinOf(chosen),
        ...(last && last.source !== rules.recorded && { receivedAt: last.receivedAt }),
      };
      // It may be older than our newest trades.
      if (Number.isFinite(formingAt)) return { ...selection, formingAt };
      if (isOtherMarket || tradesOf(chosen) >= tradesOf(recorded)) return selection;
      isContradicted = true;
    }
    return { source: null, bar: joinOf(recorded), isContradicted };
  };
}

/** A span of whole buckets in which only the bars of one source and length count. */
export interface PreferredSpan extends Span {
  readonly source: string;
  /** Length of its bars, ms. */
  readonly intervalMs: number;
}

/** The longest span between two times in which the preferred source of an instrument is complete; undefined for none. */
export function preferredSpan(
  { rules, ranges, stepMs }: Pick<InstrumentBars, 'rules' | 'ranges' | 'stepMs'>,
  between: Span,
): PreferredSpan | undefined {
  const { sources, base } = rules.rules[0]!;
  const [source, intervalMs] = [sources[0]!, base === 'same' ? stepMs : base];
  // The bar in progress of another source is not among what is known before the bars are read.
  if (source !== rules.recorded) return undefined;
  const complete = completeSpans({ rules, bars: [], ranges, now: Number.POSITIVE_INFINITY }, source, intervalMs);
  const spans = complete.map(({ from, until }) => ({
    from: -floor(-Math.max(from, between.from), stepMs),
    until: floor(Math.min(until, between.until), stepMs),
  }));
  const [longest] = union(spans).sort((a, b) => b.until - b.from - (a.until - a.from));
  return longest && { ...longest, source, intervalMs };
}

/** Times at which another source may become the best one: bars may be joined only between them. Sorted. */
export function splitPoints(ranges: readonly SourceRange[], now: number): number[] {
  const points = new Set<number>();
  for (const { intervalMs, kind, from, until } of ranges) {
    if (kind === 'none') continue;
    const span = spanOf({ kind, from, until }, intervalMs);
    points.add(span.from);
    if (Number.isFinite(span.until)) points.add(span.until);
  }
  // The bar in progress can be of another age than those before it.
  if (Number.isFinite(now)) points.add(Math.floor(now / MINUTE_MS) * MINUTE_MS);
  return [...points].sort((a, b) => a - b);
}

/** Joins ended ranges of one instrument where they overlap or follow each other. The same buckets stay complete. */
export function joinRanges(ranges: readonly SourceRange[]): SourceRange[] {
  const groups = new Map<string, SourceRange[]>();
  for (const range of ranges) {
    const key = `${range.source} ${range.intervalMs} ${range.kind}`;
    const group = groups.get(key);
    if (group) group.push(range);
    else groups.set(key, [range]);
  }
  return [...groups.values()].flatMap((group) => {
    const { source, intervalMs, kind } = group[0]!;
    const spans = union(group.map((range) => spanOf(range, intervalMs)));
    // The end of a gap is inclusive.
    return spans.map(({ from, until }) => {
      return { source, intervalMs, kind, from, until: kind === 'gap' ? until - 1 : until };
    });
  });
}

/** The whole buckets within a complete range, or those that a gap touches. */
function spanOf({ kind, from, until }: Pick<SourceRange, 'kind' | 'from' | 'until'>, baseMs: number): Span {
  const end = until ?? Number.POSITIVE_INFINITY;
  if (kind === 'gap') return { from: floor(from, baseMs), until: floor(end, baseMs) + baseMs };
  return { from: -floor(-from, baseMs), until: floor(end, baseMs) };
}

function floor(time: number, baseMs: number): number {
  return Math.floor(time / baseMs) * baseMs;
}

/** The buckets of a length in which a source is complete. */
function completeSpans(
  { rules, bars, ranges, now }: Pick<InstrumentBars, 'rules' | 'bars' | 'ranges' | 'now'>,
  source: string,
  baseMs: number,
): Span[] {
  const isRecorded = source === rules.recorded;
  const own = ranges.filter((range) => range.source === source && range.intervalMs === baseMs);
  const spansOf = (kind: SourceRange['kind']) =>
    own.filter((range) => range.kind === kind).map((range) => spanOf(range, baseMs));
  const complete = spansOf('complete');
  if (isRecorded && rules.isRecordedFromStart) complete.push({ from: 0, until: Number.POSITIVE_INFINITY });
  const forming = isRecorded ? [] : bars.filter((bar) => bar.source === source && isForming(bar, baseMs, now));
  return union([
    ...subtract(union(complete), union(spansOf('gap'))),
    ...forming.map(({ openTime }) => ({ from: openTime, until: openTime + baseMs })),
  ]);
}

/** True for the bar in progress, from an answer that is new enough. */
function isForming({ intervalMs, openTime, receivedAt }: SourceBar, baseMs: number, now: number): boolean {
  return intervalMs === baseMs && openTime === floor(now, baseMs) && now - receivedAt <= FORMING_MAX_AGE_MS;
}

/** The index of the first bar that opens at a time or after it. */
function firstFrom(sorted: readonly SourceBar[], time: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.openTime < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function tradesOf(bars: readonly SourceBar[]): number {
  return bars.reduce((sum, { bar }) => sum + bar.trades, 0);
}

/** Joins bars that are sorted by time. */
function joinOf(found: readonly SourceBar[]): Bar | undefined {
  // Nearly every minute is one bar.
  if (found.length === 1) return found[0]!.bar.trades > 0 ? found[0]!.bar : undefined;
  return concatenate(found.map(({ bar }) => bar).filter(({ trades }) => trades > 0));
}
