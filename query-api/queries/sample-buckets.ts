/** Reduces a series for a chart. Pure. */

/** Buckets of one length; the first begins at `from`, unix ms. */
export interface SampleBuckets {
  readonly from: number;
  readonly lengthMs: number;
}

/** Points that are left of a bucket: the first, the last, the lowest and the highest. */
const POINTS_PER_BUCKET = 4;

/** The buckets of a period in which at most `points` points are left. Both ends belong to the period. */
export function bucketsFor(
  { from, to }: { readonly from: number; readonly to: number },
  points: number,
): SampleBuckets {
  return { from, lengthMs: Math.max(1, Math.ceil((to - from + 1) / Math.floor(points / POINTS_PER_BUCKET))) };
}

/** A point of a series. */
export interface Sampled {
  /** Unix ms. */
  readonly ts: number;
  /** The lowest and the highest are those of this value; an unknown one is neither. */
  readonly value: bigint | null;
}

/**
 * Returns the first, the last, the lowest and the highest point of each bucket, unchanged and in order, each once; of
 * equal values the first. A bucket without points has none.
 * @param points in order of time.
 */
export function sampleBuckets<T extends Sampled>(points: readonly T[], { from, lengthMs }: SampleBuckets): T[] {
  const sampled: T[] = [];
  for (let begin = 0; begin < points.length; ) {
    const bucket = Math.floor((points[begin]!.ts - from) / lengthMs);
    let end = begin + 1;
    while (end < points.length && Math.floor((points[end]!.ts - from) / lengthMs) === bucket) end += 1;
    sampled.push(...extremes(points.slice(begin, end)));
    begin = end;
  }
  return sampled;
}

function extremes<T extends Sampled>(points: readonly T[]): T[] {
  let [lowest, highest]: [T | null, T | null] = [null, null];
  for (const point of points) {
    if (point.value === null) continue;
    if (lowest === null || point.value < lowest.value!) lowest = point;
    if (highest === null || point.value > highest.value!) highest = point;
  }
  const wanted = new Set<T | null>([points[0]!, lowest, highest, points.at(-1)!]);
  return points.filter((point) => wanted.has(point));
}
