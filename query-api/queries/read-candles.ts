import { textsOf } from '#schemas/domain/candles/bars';
import { type PreferredSpan, preferredSpan, type SelectedBars, type Selection } from '#schemas/domain/candles/select';
import { MINUTE_MS, sourceRulesOf } from '#schemas/domain/candles/sources';
import { subtract } from '#schemas/domain/candles/spans';
import { decimalJson } from '#schemas/http/scalars';
import { type Buckets, bucketsOf, type CandleWindow } from './candle-window.ts';
import type { Reader } from './query.ts';
import { readBuckets } from './read-buckets.ts';
import { type RangeOfInstrument, readPreferredBars, readRanges, timeOfRow } from './read-source-bars.ts';
import { type FetchedBars, lengthsOf, selectStoredBars } from './select-stored-bars.ts';
import { type BarColumns, type BarInstrument, StoredBar } from './stored-bar.ts';

/** A bar as it is served; its decimals are exact, as text. */
export interface Candle {
  /** Start of the bucket, unix ms. */
  readonly ts: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly trades: number;
  /** Null if the bucket is complete in no source. */
  readonly source: string | null;
}

const NOTHING_FETCHED: FetchedBars = { bars: [], ranges: [] };

/** It knows any bucket that the response consists of. */
export interface CandlesOfCoin extends SelectedBars {
  readonly candles: readonly Candle[];
}

/**
 * Reads the candles of a coin, oldest first. With only a start it returns the first `limit` from there, otherwise the
 * newest `limit`; with only an end, only those that were closed by then.
 * @param now the pipeline's time, unix ms; null if it is unknown.
 * @param fetched bars of sources that do not record trades.
 */
export async function readCandles(
  store: Reader,
  coin: BarInstrument,
  window: CandleWindow,
  now: number | null,
  fetched = NOTHING_FETCHED,
): Promise<CandlesOfCoin> {
  const { rows, ...selected } = await readBuckets(window, now, {
    read: (range) => readRange(store, coin, range, now ?? Number.POSITIVE_INFINITY, fetched),
    timeOfRow: (range, rows) => timeOfRow(store, [coin], lengthsOf([coin], range.stepMs), range, rows),
    rowsOfOne: 1,
  });
  const { limit } = window;
  return { candles: bucketsOf(window).oldestFirst ? rows.slice(0, limit) : rows.slice(-limit), ...selected };
}

/**
 * Reads the candles of a range. Where only bars of the preferred source count, each is the candle of its bucket, and they
 * are read first if they may be enough; elsewhere the bar of a bucket is selected among those of all sources.
 */
async function readRange(
  store: Reader,
  coin: BarInstrument,
  range: Buckets,
  now: number,
  fetched: FetchedBars,
): Promise<SelectedBars & { readonly rows: readonly Candle[] }> {
  const { stepMs, limit } = range;
  const ranges = [...(await readRanges(store, [coin], range)), ...fetched.ranges];
  const preferred = preferredOf(coin, ranges, range, now);
  const columns = preferred && readPreferredBars(store, coin, preferred, stepMs);
  const isEnough = preferred && reachesLimit(preferred, range, now) && (await columns)!.firstMs.length >= limit;
  const spans = isEnough ? [] : subtract([range], preferred ? [preferred] : []);
  const wanted = { instruments: [coin], ranges, stepMs, spans, now, fetched: fetched.bars };
  const [bars, others] = await Promise.all([columns, selectStoredBars(store, wanted)]);
  const selected = others.selected(coin);
  const { select } = selected;
  const rows = [
    ...others.starts.flatMap((ts) => candleOf(ts, select(ts)) ?? []),
    ...(bars ? candlesOf(bars) : []),
  ].sort((a, b) => a.ts - b.ts);
  if (!bars) return { rows, ...selected };
  const isPreferred = (bucket: number) => bucket >= preferred!.from && bucket < preferred!.until;
  const selectAny = (bucket: number) => (isPreferred(bucket) ? selectionOf(bars, bucket) : select(bucket));
  return { rows, ...selected, select: selectAny };
}

/**
 * The span of some buckets in which only the preferred source counts; undefined for none. Minutes are not joined, so that
 * for them another statement would cost more than such a span saves.
 */
function preferredOf(
  { provider }: BarInstrument,
  ranges: readonly RangeOfInstrument[],
  range: Buckets,
  now: number,
): PreferredSpan | undefined {
  const { stepMs, from, until } = range;
  const span = preferredSpan({ rules: sourceRulesOf(provider), ranges, stepMs }, range);
  if (!span || stepMs > MINUTE_MS) return span;
  return reachesLimit(span, range, now) || (span.from === from && span.until === until) ? span : undefined;
}

/** True if as many buckets of a span as the limit have begun, where that counts. */
function reachesLimit(span: PreferredSpan, { oldestFirst, from, until, stepMs, limit }: Buckets, now: number): boolean {
  const isAtEnd = oldestFirst ? span.from === from : span.until === until;
  return isAtEnd && Math.min(span.until, now) - span.from > (limit - 1) * stepMs;
}

/** The candles of bars that begin with their buckets. */
function candlesOf({ firstMs, open, high, low, close, volume, trades, source }: BarColumns): Candle[] {
  return firstMs.map((ts, at) => {
    const prices = { open: open[at]!, high: high[at]!, low: low[at]!, close: close[at]! };
    return { ts, ...prices, volume: volume[at]!, trades: trades[at]!, source };
  });
}

/** The bucket that starts at a time, among bars that begin with their buckets. */
function selectionOf(columns: BarColumns, bucket: number): Selection {
  const at = columns.firstMs.indexOf(bucket);
  return { source: columns.source, bar: at === -1 ? undefined : new StoredBar(columns, at) };
}

/** The candle of a bucket; null without a trade. */
export function candleOf(ts: number, { source, bar }: Selection): Candle | null {
  if (!bar) return null;
  const { open, high, low, close, volume } = textsOf(bar);
  return { ts, open, high, low, close, volume, trades: bar.trades, source };
}

/** The fields of the decimals of a candle in JSON. */
export function figuresJson({ open, high, low, close, volume }: Candle): string {
  const prices = `"open":${decimalJson(open)},"high":${decimalJson(high)},"low":${decimalJson(low)}`;
  return `${prices},"close":${decimalJson(close)},"volume":${decimalJson(volume)}`;
}

/** The source of a candle in JSON; the names of sources need no escapes. */
export function sourceJson({ source }: Candle): string {
  return source === null ? 'null' : `"${source}"`;
}
