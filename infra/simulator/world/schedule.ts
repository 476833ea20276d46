import { STREAM, uniformOf } from './hash.ts';
import { ORIGIN_MS } from './time.ts';

/**
 * Which event happens when. Events are numbered from the world's origin at a constant rate; event `j` is the entry
 * `j mod length` of one fixed cycle. So the number of updates that any instrument has had by any moment, its
 * *version*, is arithmetic, and nothing has to be lived through after a restart.
 */
export interface Schedule {
  readonly rate: number;
  /** Entries of the cycle: index of the lane, and how many entries of the same lane precede it in the cycle. */
  readonly seriesByEntry: Int32Array;
  readonly ordinals: Int32Array;
  readonly length: number;
  /** Number of the first event at or after this time (unix ms). */
  firstEventAt(atMs: number): number;
  /** When an event happens, unix ms. */
  timeOf(event: number): number;
  /** How often the lane has come up before this event: the version the event itself brings. */
  versionOf(event: number): number;
  /** Version of the lane's newest event before this time; -1 when it has had none. */
  versionAt(lane: number, atMs: number): number;
  /** The event that brings this version of the lane. */
  eventOf(lane: number, version: number): number;
  /** Number of entries that the lane has in one cycle. */
  perCycle(lane: number): number;
}

/** A lane of the cycle: one thing that happens again and again, with its share of all events. */
export interface SeriesShare {
  readonly weight: number;
}

/** Cycles are at least this long, so that shares are kept to a tenth of a per cent. */
const MIN_CYCLE = 2_000;

function countEntries(lanes: readonly SeriesShare[]): number[] {
  const total = lanes.reduce((sum, lane) => sum + lane.weight, 0);
  const smallest = lanes.reduce((least, lane) => Math.min(least, lane.weight), Number.POSITIVE_INFINITY);
  // Long enough for the rarest lane to come up about once, but never so long that the table is a burden.
  const length = Math.min(Math.max(MIN_CYCLE, Math.ceil(total / smallest)), 40 * MIN_CYCLE + 4 * lanes.length);
  return lanes.map((lane) => Math.max(1, Math.round((lane.weight / total) * length)));
}

/** Share of the distance between two entries of a lane by which each is moved at most: never two at about one time. */
const JITTER = 0.5;

/** Spreads the entries of every lane evenly over the cycle, with seeded jitter. */
function arrange(seed: number, counts: readonly number[]): Int32Array {
  const length = counts.reduce((sum, count) => sum + count, 0);
  const keys = new Float64Array(length);
  const lanes = new Int32Array(length);
  let at = 0;
  for (let lane = 0; lane < counts.length; lane += 1) {
    const count = counts[lane]!;
    const phase = uniformOf(seed, STREAM.shuffle, lane, count);
    for (let nth = 0; nth < count; nth += 1) {
      const place = nth + phase + JITTER * uniformOf(seed, STREAM.shuffle, lane, nth);
      keys[at] = (place % count) / count;
      lanes[at] = lane;
      at += 1;
    }
  }
  const order = Uint32Array.from(keys.keys()).sort((a, b) => keys[a]! - keys[b]! || a - b);
  return Int32Array.from(order, (index) => lanes[index]!);
}

export function createSchedule(seed: number, rate: number, shares: readonly SeriesShare[]): Schedule {
  const counts = countEntries(shares);
  const lanes = arrange(seed, counts);
  const { length } = lanes;
  const ordinals = new Int32Array(length);
  const positions = counts.map((count) => new Int32Array(count));
  const seen = new Int32Array(counts.length);
  for (let at = 0; at < length; at += 1) {
    const lane = lanes[at]!;
    ordinals[at] = seen[lane]!;
    positions[lane]![seen[lane]!] = at;
    seen[lane]! += 1;
  }

  // Whole seconds apart from the rest: the product of the two would leave the exact integers.
  const timeOf = (event: number) => {
    const second = Math.floor(event / rate);
    return ORIGIN_MS + second * 1000 + Math.floor(((event - second * rate) * 1000) / rate);
  };
  const firstEventAt = (atMs: number) => {
    const sinceMs = atMs - ORIGIN_MS;
    const second = Math.floor(sinceMs / 1000);
    return second * rate + Math.ceil(((sinceMs - second * 1000) * rate) / 1000);
  };
  const perCycle = (lane: number) => counts[lane]!;
  return {
    rate,
    seriesByEntry: lanes,
    ordinals,
    length,
    firstEventAt,
    timeOf,
    perCycle,
    versionOf(event) {
      const at = event % length;
      return Math.floor(event / length) * counts[lanes[at]!]! + ordinals[at]!;
    },
    versionAt(lane, atMs) {
      const event = firstEventAt(atMs);
      const cycle = Math.floor(event / length);
      return cycle * counts[lane]! + countBelow(positions[lane]!, event - cycle * length) - 1;
    },
    eventOf(lane, version) {
      const count = counts[lane]!;
      const cycle = Math.floor(version / count);
      return cycle * length + positions[lane]![version - cycle * count]!;
    },
  };
}

/** How many of the ascending numbers are below the limit. */
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
