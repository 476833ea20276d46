/**
 * Selects the bar of a bucket from the bars of several sources and the ranges in which these are complete (contract,
 * "Candles"). Everything that serves candles uses it.
 */
import type { Candle } from '../../topics/candles.ts';
import { parseDecimal } from '../decimal.ts';
import { type Bar, concatenate, momentOf } from './bars.ts';
import { type CandleRule, MINUTE_MS, type SourceRules } from './sources.ts';
import { covers, intersect, type Span, subtract, union } from './spans.ts';

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
  readonly formingAt?: number | undefined;
  /** When the last of its bars was received, unix ms; absent if that bar was recorded, or if there is none. */
  readonly receivedAt?: number | undefined;
}

/** Selects the bar of the bucket that starts at a time. */
export type Selector = (bucket: number) => Selection;

export interface SelectedBars {
  readonly select: Selector;
  /**
   * The buckets until the current time that are complete in a source. Of such a bucket the source may have reported fewer
   * trades than were recorded; then its bar is not used.
   */
  readonly complete: readonly Span[];
  /**
   * Those of them that a gap in the recorded trades touches, and that only a source with the trades of another market
   * completes.
   */
  readonly replaced: readonly Span[];
}

/** A bar in progress that a source calculated is used for this long. */
const FORMING_MAX_AGE_MS = 30_000;

/** A rule, with the spans in which its first source is complete, its first two sources are, and so on. */
interface Option extends CandleRule {
  readonly baseMs: number;
  readonly joined: readonly (readonly Span[])[];
  /** True for a bar of the first source that is complete where it opens. */
  readonly uses: (bar: SourceBar) => boolean;
}

/** Thousands of buckets are selected for one response. */
export function selectBars(known: InstrumentBars): SelectedBars {
  const { rules, stepMs, now } = known;
  const sorted = [...known.bars].sort((a, b) => a.openTime - b.openTime);
  const newest = within(sorted, floor(now, stepMs), Number.POSITIVE_INFINITY);
  const options = rules.rules.flatMap((rule) => optionOf(rule, { ...known, bars: newest }) ?? []);
  const isRecorded = ({ source, intervalMs }: SourceBar) => source === rules.recorded && intervalMs === MINUTE_MS;
  const [first] = options;
  const ownSpans = first?.sources[0] === rules.recorded && first.baseMs === MINUTE_MS ? first.joined[0]! : [];

  const select: Selector = (bucket) => {
    const found = within(sorted, bucket, bucket + stepMs);
    const recorded = found.filter(isRecorded);
    // Nothing precedes the recorded trades where they are complete: of thousands of buckets, nearly all.
    if (covers(ownSpans, bucket, bucket + stepMs)) return { source: rules.recorded, bar: joinOf(recorded) };
    for (const { sources, joined, baseMs, uses, isOtherMarket } of options) {
      // A trade may be ahead of the current time.
      const until = Math.max(bucket + baseMs, Math.min(bucket + stepMs, begun(now, baseMs)));
      const at = firstCovering(joined, bucket, until);
      if (at === -1) continue;
      const chosen = found.filter(uses);
      const last = chosen.at(-1);
      const receivedAt = last && last.source !== rules.recorded ? last.receivedAt : undefined;
      const formingAt = bucket + stepMs > now ? formingOf(chosen, floor(now, baseMs), rules)?.receivedAt : undefined;
      // A bar in progress may be older than our newest trades.
      if (formingAt !== undefined || isOtherMarket || tradesOf(chosen) >= tradesOf(recorded))
        return { source: sources[at]!, bar: joinOf(chosen), formingAt, receivedAt };
    }
    return { source: null, bar: joinOf(recorded) };
  };

  const complete = union(options.flatMap((option) => wholeBuckets(option, known)));
  return { select, complete, replaced: replacedOf(options, complete, known) };
}

/** Buckets with a gap in which the sources of the market's own trades are not complete, but another market's is. */
function replacedOf(options: readonly Option[], complete: readonly Span[], known: InstrumentBars): Span[] {
  const { rules, ranges, stepMs } = known;
  const gaps = ranges.filter(({ source, kind }) => source === rules.recorded && kind === 'gap');
  if (gaps.length === 0 || !options.some(({ isOtherMarket }) => isOtherMarket)) return [];
  const own = options.filter(({ isOtherMarket }) => !isOtherMarket).flatMap((option) => wholeBuckets(option, known));
  return intersect(subtract(complete, union(own)), union(gaps.map((gap) => spanOf(gap, stepMs))));
}

/**
 * Undefined for a rule with bars that are longer than the bucket.
 * @param known its bars may begin with the bucket in progress.
 */
function optionOf(rule: CandleRule, known: InstrumentBars): Option | undefined {
  const { sources, base } = rule;
  const baseMs = base === 'same' ? known.stepMs : base;
  if (baseMs > known.stepMs) return undefined;
  const own = sources.map((source) => completeSpans(known, source, baseMs));
  return {
    ...rule,
    baseMs,
    joined: own.map((_, at) => union(own.slice(0, at + 1).flat())),
    uses: ({ source, intervalMs, openTime }) =>
      intervalMs === baseMs && source === sources[firstCovering(own, openTime, openTime + 1)],
  };
}

/** The buckets until the current time that are complete by a rule. What has not begun needs no source. */
function wholeBuckets({ joined, baseMs }: Option, { stepMs, now }: InstrumentBars): Span[] {
  return joined.at(-1)!.map(({ from, until }) => ({
    from: ceil(from, stepMs),
    until: until < begun(now, baseMs) ? floor(until, stepMs) : ceil(until, stepMs),
  }));
}

/** The bar in progress among those of a bucket, if a source calculated it. */
function formingOf(bars: readonly SourceBar[], start: number, { recorded }: SourceRules): SourceBar | undefined {
  return bars.find(({ source, openTime }) => source !== recorded && openTime === start);
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
    from: ceil(Math.max(from, between.from), stepMs),
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
export function spanOf({ kind, from, until }: Pick<SourceRange, 'kind' | 'from' | 'until'>, baseMs: number): Span {
  const end = until ?? Number.POSITIVE_INFINITY;
  if (kind === 'gap') return { from: floor(from, baseMs), until: floor(end, baseMs) + baseMs };
  return { from: ceil(from, baseMs), until: floor(end, baseMs) };
}

function floor(time: number, baseMs: number): number {
  return Math.floor(time / baseMs) * baseMs;
}

function ceil(time: number, baseMs: number): number {
  return Math.ceil(time / baseMs) * baseMs;
}

/** End of the bar in progress. */
function begun(now: number, baseMs: number): number {
  return floor(now, baseMs) + baseMs;
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
  if (isRecorded && rules.isCompleteBetweenGaps) complete.push({ from: 0, until: Number.POSITIVE_INFINITY });
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

/** The first of some lists of spans that contains all of `[from, until)`; -1 for none. */
function firstCovering(lists: readonly (readonly Span[])[], from: number, until: number): number {
  return lists.findIndex((spans) => covers(spans, from, until));
}

/** The bars that open between two times. */
function within(sorted: readonly SourceBar[], from: number, until: number): readonly SourceBar[] {
  const first = firstFrom(sorted, from);
  let end = first;
  while (end < sorted.length && sorted[end]!.openTime < until) end += 1;
  return sorted.slice(first, end);
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
