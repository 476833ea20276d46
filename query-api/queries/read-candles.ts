import { isDeepStrictEqual } from 'node:util';
import { type Bar, momentOf, textsOf } from '#schemas/domain/candles/bars';
import { type PreferredSpan, preferredSpan, type SelectedBars, type Selection } from '#schemas/domain/candles/select';
import { MINUTE_MS, sourceRulesOf } from '#schemas/domain/candles/sources';
import { subtract } from '#schemas/domain/candles/spans';
import { parseDecimal } from '#schemas/domain/decimal';
import { type Candle, CandleArray, type CandleList } from './candle-list.ts';
import { type Buckets, bucketsOf, type CandleWindow } from './candle-window.ts';
import { areSame, readKnownRanges } from './known-ranges.ts';
import type { PackedCandles } from './packed-candles.ts';
import type { Reader } from './query.ts';
import { readBuckets } from './read-buckets.ts';
import { type RangeOfInstrument, readPreferredCandles, timeOfRow } from './read-source-bars.ts';
import { type FetchedBars, lengthsOf, selectStoredBars } from './select-stored-bars.ts';
import type { BarInstrument } from './stored-bar.ts';

const NOTHING_FETCHED: FetchedBars = { bars: [], ranges: [] };

/** It knows any bucket that the response consists of. */
export interface CandlesOfCoin extends SelectedBars {
  readonly candles: CandleList;
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
  const first = bucketsOf(window).oldestFirst ? 0 : Math.max(0, rows.length - limit);
  return { candles: rows.slice(first, first + limit), ...selected };
}

/**
 * Reads the candles of a range. Where only bars of the preferred source count, each is the candle of its bucket, and they
 * are read first if they may be enough, at the same time as the ranges if these are as they were; elsewhere the bar of a
 * bucket is selected among those of all sources.
 */
async function readRange(
  store: Reader,
  coin: BarInstrument,
  range: Buckets,
  now: number,
  fetched: FetchedBars,
): Promise<SelectedBars & { readonly rows: CandleList }> {
  const { stepMs, limit } = range;
  const { known, current } = readKnownRanges(store, coin, range);
  const expected = known && fetched.ranges.length === 0 ? preferredOf(coin, known, range, now) : undefined;
  const early =
    expected && reachesLimit(expected, range, now) ? readPreferredCandles(store, coin, expected, stepMs) : undefined;
  // It may not be needed, and if it is, the error is thrown below.
  early?.catch(() => {});
  const stored = await current;
  const ranges = [...stored, ...fetched.ranges];
  const preferred = preferredOf(coin, ranges, range, now);
  const isEarly = preferred && isDeepStrictEqual(preferred, expected) && areSame(known!, stored, preferred.source);
  const packed = early && isEarly ? early : preferred && readPreferredCandles(store, coin, preferred, stepMs);
  const isEnough = preferred && reachesLimit(preferred, range, now) && (await packed)!.length >= limit;
  const spans = isEnough ? [] : subtract([range], preferred ? [preferred] : []);
  const wanted = { instruments: [coin], ranges, stepMs, spans, now, fetched: fetched.bars };
  const [packedCandles, others] = await Promise.all([packed, selectStoredBars(store, wanted)]);
  const selected = others.selected(coin);
  const { select } = selected;
  const candles = others.starts.flatMap((ts) => candleOf(ts, select(ts)) ?? []);
  if (!packedCandles) return { rows: new CandleArray(candles), ...selected };
  const isPreferred = (bucket: number) => bucket >= preferred!.from && bucket < preferred!.until;
  return {
    rows: candles.length === 0 ? packedCandles : merged(packedCandles, candles),
    ...selected,
    select: (bucket) => (isPreferred(bucket) ? selectionOf(packedCandles, bucket, stepMs) : select(bucket)),
  };
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

function merged(candles: CandleList, others: readonly Candle[]): CandleArray {
  return new CandleArray([...candles.toArray(), ...others].sort((a, b) => a.ts - b.ts));
}

/** The bucket that starts at a time, among those of the preferred source. */
function selectionOf(candles: PackedCandles, bucket: number, stepMs: number): Selection {
  const candle = candles.find(bucket);
  return { source: candles.source, bar: candle && barOf(candle, stepMs) };
}

function barOf({ ts, open, high, low, close, volume, trades }: Candle, stepMs: number): Bar {
  const prices = {
    open: parseDecimal(open),
    high: parseDecimal(high),
    low: parseDecimal(low),
    close: parseDecimal(close),
  };
  const moment = momentOf(null, null, ts, stepMs);
  return { ...prices, volume: parseDecimal(volume), trades, openAt: moment, closeAt: moment };
}

/** The candle of a bucket; null without a trade. */
export function candleOf(ts: number, { source, bar }: Selection): Candle | null {
  if (!bar) return null;
  const { open, high, low, close, volume } = textsOf(bar);
  return { ts, open, high, low, close, volume, trades: bar.trades, source };
}
