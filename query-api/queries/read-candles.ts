import { textsOf } from '#schemas/domain/candles/bars';
import {
  type PreferredSpan,
  preferredSpan,
  type SelectedBars,
  type Selection,
  selectBars,
  splitPoints,
} from '#schemas/domain/candles/select';
import { baseLengths, sourceRulesOf } from '#schemas/domain/candles/sources';
import { marketKey } from '#schemas/domain/providers';
import { decimalJson } from '#schemas/http/scalars';
import { type Buckets, bucketsOf, type CandleWindow, firstBuckets, narrowTo } from './candle-window.ts';
import type { Reader } from './query.ts';
import { type RangeOfInstrument, readRanges, readSourceBars, timeOfRow } from './read-source-bars.ts';
import type { BarInstrument, BarOfInstrument } from './stored-bar.ts';

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

/** Share of buckets that are read at first beyond those that are needed: some have no trade. */
const EMPTY_SHARE = 0.1;
/** Rows scanned at first for each requested minute: some are of other sources or older versions of a minute. */
const ROWS_PER_MINUTE = 2;
/** Growth factor of the scan window when too few candles were found. */
const WINDOW_GROWTH = 16;
const MINUTE_MS = 60_000;

/** Bars and ranges that the tables may not have yet. The bars have the length of the buckets that are read. */
export interface FetchedBars {
  readonly bars: readonly BarOfInstrument[];
  readonly ranges: readonly RangeOfInstrument[];
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
 */
export async function readCandles(
  store: Reader,
  coin: BarInstrument,
  window: CandleWindow,
  now: number | null,
  fetched = NOTHING_FETCHED,
): Promise<CandlesOfCoin> {
  const rowsOf = (selected: SelectedOf) => {
    const { select } = selected(coin);
    return (ts: number) => candleOf(ts, select(ts)) ?? [];
  };
  const { rows, selected } = await readBuckets(store, [coin], window, now, rowsOf, fetched);
  const { limit } = window;
  const candles = bucketsOf(window).oldestFirst ? rows.slice(0, limit) : rows.slice(-limit);
  return { candles, ...selected(coin) };
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

/** Returns the bars of an instrument. */
export type SelectedOf = (instrument: BarInstrument) => SelectedBars;

export interface RowsOfBuckets<T> {
  /** The oldest bucket first. */
  readonly rows: readonly T[];
  /** They are known from the end where the limit counts to the last bucket with a row; without enough rows, all are. */
  readonly selected: SelectedOf;
}

/**
 * Reads as many buckets of some instruments as give at least `limit` rows, if there are so many. `rowsOf` makes the rows
 * of a bucket, at most `rowsOfOne`.
 *
 * First it reads as many buckets as are needed if hardly any is empty, up to the current time. If they are too few, the
 * same from the first stored bar on. If these are too few, a query of the sorting key determines a range with enough
 * bars, so that `FINAL` merges only that range.
 */
export async function readBuckets<T>(
  store: Reader,
  instruments: readonly BarInstrument[],
  window: CandleWindow,
  now: number | null,
  rowsOf: (selected: SelectedOf) => (bucket: number) => T | readonly T[],
  fetched = NOTHING_FETCHED,
  rowsOfOne = 1,
): Promise<RowsOfBuckets<T>> {
  const buckets = bucketsOf(window);
  const { stepMs, limit } = buckets;
  const lengths = [...new Set(instruments.flatMap(({ provider }) => baseLengths(sourceRulesOf(provider), stepMs)))];
  const read = async (range: Buckets): Promise<RowsOfBuckets<T>> => {
    const { selected, starts } = await readSelected(store, instruments, lengths, range, now, fetched);
    return { rows: starts.flatMap(rowsOf(selected)), selected };
  };
  const needed = Math.ceil((limit / rowsOfOne) * (1 + EMPTY_SHARE));
  if (buckets.until - buckets.from <= needed * stepMs) return read(buckets);
  const newest = Math.min(buckets.until - 1, now ?? Number.POSITIVE_INFINITY);
  const guessed = await read(firstBuckets(buckets, buckets.oldestFirst ? buckets.from : newest, needed));
  if (guessed.rows.length >= limit) return guessed;
  const edge = await timeOfRow(store, instruments, lengths, buckets, 1);
  if (edge === null) return read(buckets);
  const first = await read(firstBuckets(buckets, edge, needed));
  if (first.rows.length >= limit) return first;
  for (let scanned = limit * (stepMs / MINUTE_MS) * ROWS_PER_MINUTE; ; scanned *= WINDOW_GROWTH) {
    const time = await timeOfRow(store, instruments, lengths, buckets, scanned);
    const range = time === null ? buckets : narrowTo(buckets, time);
    const found = await read(range);
    if (found.rows.length >= limit || time === null) return found;
  }
}

async function readSelected(
  store: Reader,
  instruments: readonly BarInstrument[],
  lengths: readonly number[],
  buckets: Buckets,
  now: number | null,
  fetched: FetchedBars,
): Promise<{ readonly selected: SelectedOf; readonly starts: readonly number[] }> {
  const { stepMs } = buckets;
  const time = now ?? Number.POSITIVE_INFINITY;
  // Before the bars, since the sink stores bars before the ranges in which they are complete.
  const ranges = [...(await readRanges(store, instruments, buckets)), ...fetched.ranges];
  const points = splitPoints(ranges, time);
  const preferred = preferredOf(instruments, ranges, buckets);
  const stored = await readSourceBars(store, { instruments, lengths, buckets, points, preferred });
  const bars = addFetched(stored, fetched.bars, buckets);
  const barsByCoin = groupByCoin(instruments, bars);
  const rangesByCoin = groupByCoin(instruments, ranges);
  const selected = new Map(
    instruments.map(({ provider, coin }) => {
      const key = marketKey(provider, coin);
      const known = { bars: barsByCoin.get(key) ?? [], ranges: rangesByCoin.get(key) ?? [] };
      return [key, selectBars({ ...known, rules: sourceRulesOf(provider), stepMs, now: time })] as const;
    }),
  );
  return { selected: ({ provider, coin }) => selected.get(marketKey(provider, coin))!, starts: startsOf(bars, stepMs) };
}

/** The starts of the buckets with a bar, sorted. */
function startsOf(bars: readonly BarOfInstrument[], stepMs: number): number[] {
  const starts = Float64Array.from(bars, ({ openTime }) => Math.floor(openTime / stepMs) * stepMs).sort();
  return Array.from(starts.filter((start, at) => start !== starts[at - 1]));
}

/**
 * The span in which only the preferred source counts. Several instruments have several of them. Of minutes it is all or
 * nothing: they are not joined, so that another statement would cost more than it saves.
 */
function preferredOf(
  [instrument, ...others]: readonly BarInstrument[],
  ranges: readonly RangeOfInstrument[],
  buckets: Buckets,
): PreferredSpan | undefined {
  if (!instrument || others.length > 0) return undefined;
  const { stepMs, from, until } = buckets;
  const span = preferredSpan({ rules: sourceRulesOf(instrument.provider), ranges, stepMs }, buckets);
  const isAll = span?.from === from && span.until === until;
  return stepMs > MINUTE_MS || isAll ? span : undefined;
}

/** Adds the fetched bars of some buckets. The newest version of a bar counts. */
function addFetched(
  stored: readonly BarOfInstrument[],
  fetched: readonly BarOfInstrument[],
  { from, until }: Buckets,
): readonly BarOfInstrument[] {
  const added = fetched.filter(({ openTime }) => openTime >= from && openTime < until);
  if (added.length === 0) return stored;
  const newest = new Map<string, BarOfInstrument>();
  for (const bar of [...stored, ...added]) {
    const key = JSON.stringify([bar.provider, bar.coin, bar.source, bar.intervalMs, bar.openTime]);
    const known = newest.get(key);
    if (!known || known.receivedAt <= bar.receivedAt) newest.set(key, bar);
  }
  return [...newest.values()];
}

function groupByCoin<T extends BarInstrument>(
  instruments: readonly BarInstrument[],
  rows: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const [first, ...others] = instruments;
  if (first && others.length === 0) return new Map([[marketKey(first.provider, first.coin), rows]]);
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = marketKey(row.provider, row.coin);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}
