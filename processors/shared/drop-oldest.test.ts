import { describe, expect, it } from 'vitest';
import { dropOldest } from './drop-oldest.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const setOf = (count: number) => new Set(numbers(count));

describe('what is beyond a bound', () => {
  it('is dropped, a hundredth of it at once, the oldest first', () => {
    const kept = setOf(1_000);
    dropOldest(kept, 1_000);
    expect(kept.size).toBe(1_000);
    kept.add(1_000);
    dropOldest(kept, 1_000);
    expect([...kept]).toEqual(numbers(1_001).slice(10));
  });

  it('is dropped by age of entry: what is put in anew is young', () => {
    const kept = new Map(numbers(4).map((key) => [key, 'x']));
    kept.delete(0);
    kept.set(0, 'y');
    dropOldest(kept, 3);
    expect([...kept.keys()]).toEqual([2, 3, 0]);
  });

  it('of a small bound is the one that is too many', () => {
    const kept = new Set<number>();
    for (const key of numbers(500)) {
      kept.add(key);
      dropOldest(kept, 100);
      expect(kept.size).toBe(Math.min(key + 1, 100));
    }
    expect(kept.has(399)).toBe(false);
    expect(kept.has(400)).toBe(true);
  });

  it.each([
    [1, 5],
    [3, 3],
    [9, 0],
  ])('goes by as many at once as is said, and no more than there are: %i leave %i of 6', (atOnce, left) => {
    const kept = setOf(6);
    dropOldest(kept, 5, { batchSize: atOnce });
    expect(kept.size).toBe(left);
  });

  it('is taken out by the caller, where more is kept of it', () => {
    const kept = setOf(301);
    const dropped: number[] = [];
    const drop = (key: number) => {
      dropped.push(key);
      kept.delete(key);
    };
    dropOldest(kept, 300, { drop });
    expect(dropped).toEqual([0, 1, 2]);
    expect(kept.size).toBe(298);
  });
});
