/** Reads the bars of several sources, and selects the one of each bucket. */
import { type SelectedBars, selectBars, splitPoints } from '#schemas/domain/candles/select';
import { baseLengths, sourceRulesOf } from '#schemas/domain/candles/sources';
import type { Span } from '#schemas/domain/candles/spans';
import { marketKey } from '#schemas/domain/providers';
import type { Reader } from './query.ts';
import { type RangeOfInstrument, readSourceBars } from './read-source-bars.ts';
import type { BarInstrument, BarOfInstrument } from './stored-bar.ts';

/** Bars and ranges that the tables may not have yet. The bars have the length of the buckets that are read. */
export interface FetchedBars {
  readonly bars: readonly BarOfInstrument[];
  readonly ranges: readonly RangeOfInstrument[];
}

export interface StoredBars {
  readonly instruments: readonly BarInstrument[];
  readonly ranges: readonly RangeOfInstrument[];
  /** Length of the buckets, ms. */
  readonly stepMs: number;
  /** Whole buckets; what is outside of them is neither read nor used. */
  readonly spans: readonly Span[];
  /** The pipeline's time, unix ms; infinite if it is unknown. */
  readonly now: number;
  readonly fetched: readonly BarOfInstrument[];
}

export interface SelectedBuckets {
  selected(instrument: BarInstrument): SelectedBars;
  /** The starts of the buckets with a bar, sorted. */
  readonly starts: readonly number[];
}

/** Lengths of the stored bars of which buckets of some instruments are made, ms. */
export function lengthsOf(instruments: readonly BarInstrument[], stepMs: number): number[] {
  return [...new Set(instruments.flatMap(({ provider }) => baseLengths(sourceRulesOf(provider), stepMs)))];
}

/** The ranges must have been read before: the sink stores bars before the ranges in which they are complete. */
export async function selectStoredBars(store: Reader, wanted: StoredBars): Promise<SelectedBuckets> {
  const { instruments, ranges, stepMs, spans, now } = wanted;
  const lengths = lengthsOf(instruments, stepMs);
  const stored = await readSourceBars(store, { instruments, lengths, stepMs, spans, points: splitPoints(ranges, now) });
  const bars = addFetched(stored, wanted.fetched, spans);
  const barsByCoin = groupByCoin(instruments, bars);
  const rangesByCoin = groupByCoin(instruments, ranges);
  const selected = new Map(
    instruments.map(({ provider, coin }) => {
      const key = marketKey(provider, coin);
      const known = { bars: barsByCoin.get(key) ?? [], ranges: rangesByCoin.get(key) ?? [] };
      return [key, selectBars({ ...known, rules: sourceRulesOf(provider), stepMs, now })] as const;
    }),
  );
  return { selected: ({ provider, coin }) => selected.get(marketKey(provider, coin))!, starts: startsOf(bars, stepMs) };
}

function startsOf(bars: readonly BarOfInstrument[], stepMs: number): number[] {
  const starts = new Set<number>();
  for (const { openTime } of bars) starts.add(Math.floor(openTime / stepMs) * stepMs);
  return [...starts].sort((a, b) => a - b);
}

/** Adds the fetched bars of some buckets. The newest version of a bar counts. */
function addFetched(
  stored: readonly BarOfInstrument[],
  fetched: readonly BarOfInstrument[],
  spans: readonly Span[],
): readonly BarOfInstrument[] {
  const added = fetched.filter(({ openTime }) => spans.some(({ from, until }) => openTime >= from && openTime < until));
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
