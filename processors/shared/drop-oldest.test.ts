import { describe, expect, it } from 'vitest';
import { dropOldest } from './drop-oldest.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const setOf = (count: number) => new Set(numbers(count));

describe('an entry beyond the bound', () => {
  it('is dropped, a hundredth of it at once, the oldest first', () => {
    const entries = setOf(1_000);
    dropOldest(entries, 1_000);
    expect(entries.size).toBe(1_000);
    entries.add(1_000);
    dropOldest(entries, 1_000);
    expect([...entries]).toEqual(numbers(1_001).slice(10));
  });

  it('is dropped by insertion order: an entry that is inserted again is young', () => {
    const entries = new Map(numbers(4).map((key) => [key, 'x']));
    entries.delete(0);
    entries.set(0, 'y');
    dropOldest(entries, 3);
    expect([...entries.keys()]).toEqual([2, 3, 0]);
  });

  it('is the only one dropped for a small bound', () => {
    const entries = new Set<number>();
    for (const key of numbers(500)) {
      entries.add(key);
      dropOldest(entries, 100);
      expect(entries.size).toBe(Math.min(key + 1, 100));
    }
    expect(entries.has(399)).toBe(false);
    expect(entries.has(400)).toBe(true);
  });

  it.each([
    [1, 5],
    [3, 3],
    [9, 0],
  ])('is dropped together with as many as configured: %i at once leave %i of 6', (batchSize, left) => {
    const entries = setOf(6);
    dropOldest(entries, 5, { batchSize: batchSize });
    expect(entries.size).toBe(left);
  });

  it('is removed by the caller if other state belongs to it', () => {
    const entries = setOf(301);
    const dropped: number[] = [];
    const drop = (key: number) => {
      dropped.push(key);
      entries.delete(key);
    };
    dropOldest(entries, 300, { drop });
    expect(dropped).toEqual([0, 1, 2]);
    expect(entries.size).toBe(298);
  });
});
