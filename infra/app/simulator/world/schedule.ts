import { STREAM, uniformOf } from './hash.ts';
import { ORIGIN_MS } from './time.ts';

/**
 * Times of events. Events are numbered from the world's origin at a constant rate; event `j` is the entry `j mod
 * length` of one fixed cycle. So the number of updates of any instrument up to any time, its *version*, can be
 * calculated, and a restart needs no earlier state.
 */
export interface Schedule {
  readonly rate: number;
  /**
   * For each entry of the cycle: index of its series, and number of earlier entries of the same series in the cycle.
   */
  readonly seriesByEntry: Int32Array;
  readonly ordinals: Int32Array;
  readonly length: number;
  /** Number of the first event at or after this time (unix ms). */
  firstEventAt(atMs: number): number;
  /** Time of an event, unix ms. */
  timeOf(event: number): number;
  /** Version of the event: the number of earlier events of its series. */
  versionOf(event: number): number;
  /** Version of the series' newest event before this time; -1 if there is none. */
  versionAt(series: number, atMs: number): number;
  /** The event of this version of the series. */
  eventOf(series: number, version: number): number;
  /** Number of entries of the series in one cycle. */
  perCycle(series: number): number;
}

/** Share of all events of one series: a repeated kind of event of one market. */
export interface SeriesShare {
  readonly weight: number;
}

/** Least length of a cycle, so that shares are exact to a tenth of a per cent. */
const MIN_CYCLE = 2_000;

function countEntries(allSeries: readonly SeriesShare[]): number[] {
  const total = allSeries.reduce((sum, series) => sum + series.weight, 0);
  const smallest = allSeries.reduce((least, series) => Math.min(least, series.weight), Number.POSITIVE_INFINITY);
  // Long enough for about one entry of the rarest series, within a limit for the table's size.
  const length = Math.min(Math.max(MIN_CYCLE, Math.ceil(total / smallest)), 40 * MIN_CYCLE + 4 * allSeries.length);
  return allSeries.map((series) => Math.max(1, Math.round((series.weight / total) * length)));
}

/** Largest shift of an entry, as a share of the distance between two entries of its series. */
const JITTER = 0.5;

/** Distributes the entries of every series evenly over the cycle, with seeded jitter. */
function arrange(seed: number, counts: readonly number[]): Int32Array {
  const length = counts.reduce((sum, count) => sum + count, 0);
  const keys = new Float64Array(length);
  const seriesByEntry = new Int32Array(length);
  let at = 0;
  for (let series = 0; series < counts.length; series += 1) {
    const count = counts[series]!;
    const phase = uniformOf(seed, STREAM.shuffle, series, count);
    for (let nth = 0; nth < count; nth += 1) {
      const place = nth + phase + JITTER * uniformOf(seed, STREAM.shuffle, series, nth);
      keys[at] = (place % count) / count;
      seriesByEntry[at] = series;
      at += 1;
    }
  }
  const order = Uint32Array.from(keys.keys()).sort((a, b) => keys[a]! - keys[b]! || a - b);
  return Int32Array.from(order, (index) => seriesByEntry[index]!);
}

export function createSchedule(seed: number, rate: number, shares: readonly SeriesShare[]): Schedule {
  const counts = countEntries(shares);
  const seriesByEntry = arrange(seed, counts);
  const { length } = seriesByEntry;
  const ordinals = new Int32Array(length);
  const positions = counts.map((count) => new Int32Array(count));
  const seen = new Int32Array(counts.length);
  for (let at = 0; at < length; at += 1) {
    const series = seriesByEntry[at]!;
    ordinals[at] = seen[series]!;
    positions[series]![seen[series]!] = at;
    seen[series]! += 1;
  }

  // Whole seconds are calculated separately, since a single product could exceed exact integers.
  const timeOf = (event: number) => {
    const second = Math.floor(event / rate);
    return ORIGIN_MS + second * 1000 + Math.floor(((event - second * rate) * 1000) / rate);
  };
  const firstEventAt = (atMs: number) => {
    const sinceMs = atMs - ORIGIN_MS;
    const second = Math.floor(sinceMs / 1000);
    return second * rate + Math.ceil(((sinceMs - second * 1000) * rate) / 1000);
  };
  const perCycle = (series: number) => counts[series]!;
  return {
    rate,
    seriesByEntry,
    ordinals,
    length,
    firstEventAt,
    timeOf,
    perCycle,
    versionOf(event) {
      const at = event % length;
      return Math.floor(event / length) * counts[seriesByEntry[at]!]! + ordinals[at]!;
    },
    versionAt(series, atMs) {
      const event = firstEventAt(atMs);
      const cycle = Math.floor(event / length);
      return cycle * counts[series]! + countBelow(positions[series]!, event - cycle * length) - 1;
    },
    eventOf(series, version) {
      const count = counts[series]!;
      const cycle = Math.floor(version / count);
      return cycle * length + positions[series]![version - cycle * count]!;
    },
  };
}

/** Counts the ascending numbers below a limit. */
function countBelow(ascending: Int32Array, limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
