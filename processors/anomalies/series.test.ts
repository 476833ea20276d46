import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import { amend, append, type Bucket, bucketsOf, createSeries, dropBefore, type Series } from './series.ts';

const LARGEST = 10n ** 38n - 1n;
const value = fc
  .oneof(
    fc.bigInt({ min: -LARGEST, max: LARGEST }),
    fc.integer({ min: -500, max: 5_000 }).map((cents) => BigInt(cents) * 10n ** 16n),
    fc.integer({ min: 0, max: 9 }).map((shares) => BigInt(shares) * 10n ** 18n),
    fc.integer({ min: 0, max: 2_000_000_000 }).map((units) => BigInt(units) * 10n ** 12n),
  )
  .map((number) => number as Decimal);
const operation = fc.oneof(
  { weight: 6, arbitrary: fc.record({ gap: fc.nat({ max: 4_000_000_000 }), value }) },
  { weight: 6, arbitrary: fc.record({ gap: fc.nat({ max: 2 }), value }) },
  { weight: 2, arbitrary: fc.record({ dropTo: fc.double({ min: 0, max: 1, noNaN: true }) }) },
  { weight: 2, arbitrary: fc.record({ pick: fc.nat(), next: fc.option(value) }) },
  { weight: 1, arbitrary: fc.constant({ restart: true as const }) },
);

/** The same operations on a plain list. */
const moments = (buckets: readonly Bucket[]) => ({
  count: buckets.length,
  sum: buckets.reduce((sum, bucket) => sum + bucket.value, 0n),
  squares: buckets.reduce((sum, bucket) => sum + bucket.value * bucket.value, 0n),
});

function expectSame(series: Series, buckets: readonly Bucket[]): void {
  expect(bucketsOf(series)).toEqual(buckets);
  const { count, sum, squares } = series;
  expect({ count, sum, squares }).toEqual(moments(buckets));
}

describe('a series', () => {
  it('contains after any sequence of changes the same buckets as a plain list', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        let series = createSeries();
        let buckets: Bucket[] = [];
        let key = 29_000_000;
        for (const step of operations) {
          if ('gap' in step) {
            key += step.gap;
            append(series, key, step.value);
            buckets.push({ key, value: step.value });
          } else if ('dropTo' in step) {
            const [first] = buckets;
            const from = first ? Math.round(first.key + (key + 1 - first.key) * step.dropTo) : key;
            dropBefore(series, from);
            buckets = buckets.filter((bucket) => bucket.key >= from);
          } else if ('pick' in step) {
            const picked = buckets[step.pick % Math.max(1, buckets.length)];
            if (!picked) continue;
            amend(series, picked, step.next);
            const at = buckets.findLastIndex((bucket) => bucket.key === picked.key && bucket.value === picked.value);
            buckets.splice(at, 1, ...(step.next === null ? [] : [{ key: picked.key, value: step.next }]));
          } else series = deserialize(serialize(series)) as Series;
          expectSame(series, buckets);
        }
      }),
    );
  });

  it('changes nothing if there is no bucket to amend', () => {
    const series = createSeries();
    append(series, 5, parseDecimal('1.5'));
    append(series, 7, parseDecimal('2'));
    amend(series, { key: 5, value: parseDecimal('2') }, null);
    amend(series, { key: 9, value: parseDecimal('2') }, null);
    expectSame(series, [
      { key: 5, value: parseDecimal('1.5') },
      { key: 7, value: parseDecimal('2') },
    ]);
  });

  it('amends the newest buckets without reading the old ones', () => {
    const series = createSeries();
    const value = parseDecimal('3600.123');
    for (let at = 0; at < 50_000; at += 1) append(series, at * 50, value);
    const before = process.cpuUsage();
    for (let at = 49_900; at < 50_000; at += 1) amend(series, { key: at * 50, value }, null);
    // Reading and writing all of them takes longer than that even once.
    expect(process.cpuUsage(before).user).toBeLessThan(100_000);
    expect(series.count).toBe(49_900);
  });

  it('uses a few bytes for each bucket and does not grow as the day moves on', () => {
    const series = createSeries();
    for (let minute = 0; minute < 10 * 1_440; minute += 1) {
      dropBefore(series, minute - 1_440);
      append(series, minute, parseDecimal(`0.0${1 + (minute % 9)}`));
    }
    expect(series.count).toBe(1_441);
    expect(series.bytes.length).toBeLessThan(1_441 * 5.1);
  });
});
