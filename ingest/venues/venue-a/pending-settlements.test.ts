import { describe, expect, it } from 'vitest';
import {
  SETTLED_ATTEMPTS_MAX,
  SETTLED_PER_ROUND,
  SETTLED_WAITING_MAX,
  SettledOutcomes,
  UNLISTED_ATTEMPTS_MAX,
  UNLISTED_PER_ROUND,
} from './settled-outcomes.ts';

const range = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

describe('the outcomes to ask the settlement of', () => {
  it('are those that are no longer listed, until they are settled', () => {
    const settled = new SettledOutcomes();
    settled.list([1, 2, 3]);
    expect(settled.due()).toEqual([]);
    settled.list([2, 4]);
    expect(settled.due()).toEqual([1, 3]);
    expect(settled.asked(1, true)).toBe(true);
    expect(settled.asked(3, false)).toBe(true);
    settled.list([2, 4]);
    expect(settled.due()).toEqual([3]);
  });

  it('are those, too, that were on no list, but none that is listed', () => {
    const settled = new SettledOutcomes();
    settled.list([2]);
    for (const outcome of [1, 2, 1]) settled.asked(outcome, false);
    expect(settled.due()).toEqual([1]);
    settled.asked(1, true);
    expect(settled.due()).toEqual([]);
    settled.asked(3, false);
    settled.list([2, 3]);
    expect(settled.due()).toEqual([]);
  });

  it('leave a few places of a round to those that no list held, and do not wait for more of them', () => {
    const settled = new SettledOutcomes();
    for (const outcome of range(0, SETTLED_WAITING_MAX)) settled.asked(outcome, false, true);
    settled.list(range(6_000, 11));
    settled.list([6_010]);
    // Ten had to go for them.
    expect(settled.due()).toEqual([...range(6_000, SETTLED_PER_ROUND - UNLISTED_PER_ROUND), 10, 11]);
    // Asked again, in whichever words, each stays what it was.
    settled.asked(10, false);
    for (const outcome of range(6_000, 8)) settled.asked(outcome, false, true);
    expect(settled.due()).toEqual([6_008, 6_009, 6_000, 6_001, 6_002, 6_003, 11, 12]);
    for (const outcome of range(6_000, 9)) settled.asked(outcome, true);
    expect(settled.due()).toEqual([6_009, ...range(11, 7)]);
  });

  it('are given up sooner where no list held them', () => {
    const settled = new SettledOutcomes();
    const kept = range(1, UNLISTED_ATTEMPTS_MAX).map(() => settled.asked(1, false, true));
    expect(kept.lastIndexOf(true)).toBe(UNLISTED_ATTEMPTS_MAX - 2);
    expect(settled.due()).toEqual([]);
  });

  it('are none that are listed again', () => {
    const settled = new SettledOutcomes();
    settled.list([1, 2]);
    settled.list([2]);
    settled.list([1, 2]);
    expect(settled.due()).toEqual([]);
  });

  it('are asked for in turn, so many at once', () => {
    const settled = new SettledOutcomes();
    settled.list(range(0, SETTLED_PER_ROUND + 3));
    settled.list([0]);
    expect(settled.due()).toEqual(range(1, SETTLED_PER_ROUND));
    for (const outcome of settled.due()) settled.asked(outcome, false);
    expect(settled.due().slice(0, 3)).toEqual([SETTLED_PER_ROUND + 1, SETTLED_PER_ROUND + 2, 1]);
  });

  it('are given up after many attempts, and beyond a number', () => {
    const settled = new SettledOutcomes();
    settled.list([0, 1]);
    settled.list([0]);
    const kept = range(1, SETTLED_ATTEMPTS_MAX).map(() => settled.asked(1, false));
    expect(kept.lastIndexOf(true)).toBe(SETTLED_ATTEMPTS_MAX - 2);
    expect(settled.due()).toEqual([]);
    settled.list(range(0, SETTLED_WAITING_MAX + 2));
    settled.list([0]);
    expect(settled.due()[0]).toBe(2);
    settled.asked(5_000, false);
    expect(settled.due()[0]).toBe(3);
  });

  it('are none because an answer lists nothing at all', () => {
    const settled = new SettledOutcomes();
    settled.list([1, 2]);
    settled.list([]);
    expect([settled.listed(), settled.due()]).toEqual([[1, 2], []]);
    settled.list([2]);
    expect(settled.due()).toEqual([1]);
  });
});
