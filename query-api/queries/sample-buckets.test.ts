import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketsFor, type Sampled, sampleBuckets } from './sample-buckets.ts';

const point = fc.record({
  ts: fc.integer({ min: 1_000, max: 1_400 }),
  value: fc.oneof(fc.constant(null), fc.bigInt({ min: 0n, max: 9n })),
});
const series = fc.array(point, { maxLength: 80 }).map((points) => points.sort((a, b) => a.ts - b.ts));
const limit = fc.integer({ min: 10, max: 60 });

/** The points of each bucket. */
function byBucket(points: readonly Sampled[], from: number, lengthMs: number): Map<number, Sampled[]> {
  const buckets = new Map<number, Sampled[]>();
  for (const one of points) {
    const bucket = Math.floor((one.ts - from) / lengthMs);
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), one]);
  }
  return buckets;
}

describe('sampleBuckets', () => {
  const check = (claim: (points: Sampled[], sampled: Sampled[], lengthMs: number, points_: number) => void) =>
    fc.assert(
      fc.property(series, limit, (points, most) => {
        const buckets = bucketsFor({ from: 1_000, to: 1_400 }, most);
        claim(points, sampleBuckets(points, buckets), buckets.lengthMs, most);
      }),
    );

  it('returns points of the series unchanged, in order, and at most as many as wanted', () => {
    check((points, sampled, _, most) => {
      expect(sampled).toEqual(points.filter((one) => sampled.includes(one)));
      expect(sampled.length).toBeLessThanOrEqual(most);
    });
  });

  it('returns the first, last, lowest and highest of each bucket, and none of a bucket without data', () => {
    check((points, sampled, lengthMs) => {
      const [all, left] = [byBucket(points, 1_000, lengthMs), byBucket(sampled, 1_000, lengthMs)];
      expect([...left.keys()]).toEqual([...all.keys()]);
      for (const [bucket, whole] of all) {
        const some = left.get(bucket)!;
        expect([some[0], some.at(-1)]).toEqual([whole[0], whole.at(-1)]);
        const sorted = (list: Sampled[]) =>
          list.flatMap(({ value }) => (value === null ? [] : [value])).sort((a, b) => Number(a - b));
        expect([sorted(some)[0], sorted(some).at(-1)]).toEqual([sorted(whole)[0], sorted(whole).at(-1)]);
        expect(some.length).toBeLessThanOrEqual(4);
      }
    });
  });

  it('changes nothing that is sampled already', () => {
    check((_, sampled, lengthMs) => expect(sampleBuckets(sampled, { from: 1_000, lengthMs })).toEqual(sampled));
  });

  it('returns one point of a bucket whose points are all the first of something', () => {
    const only = { ts: 1_000, value: 1n };
    expect(sampleBuckets([only], { from: 1_000, lengthMs: 10 })).toEqual([only]);
    expect(sampleBuckets([], { from: 1_000, lengthMs: 10 })).toEqual([]);
  });
});
