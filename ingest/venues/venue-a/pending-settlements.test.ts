import { describe, expect, it } from 'vitest';
import {
  LISTED_ATTEMPTS_MAX,
  PENDING_MAX,
  PendingSettlements,
  REQUESTS_PER_ROUND,
  UNLISTED_ATTEMPTS_MAX,
  UNLISTED_PER_ROUND,
} from './pending-settlements.ts';

const range = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

describe('pending settlements', () => {
  it('contain outcomes that are no longer listed until they are settled', () => {
    const pending = new PendingSettlements();
    pending.addList([1, 2, 3]);
    expect(pending.due()).toEqual([]);
    pending.addList([2, 4]);
    expect(pending.due()).toEqual([1, 3]);
    expect(pending.recordAnswer(1, true)).toBe(true);
    expect(pending.recordAnswer(3, false)).toBe(true);
    pending.addList([2, 4]);
    expect(pending.due()).toEqual([3]);
  });

  it('contain unlisted outcomes that were requested, but none that is listed', () => {
    const pending = new PendingSettlements();
    pending.addList([2]);
    for (const outcome of [1, 2, 1]) pending.recordAnswer(outcome, false);
    expect(pending.due()).toEqual([1]);
    pending.recordAnswer(1, true);
    expect(pending.due()).toEqual([]);
    pending.recordAnswer(3, false);
    pending.addList([2, 3]);
    expect(pending.due()).toEqual([]);
  });

  it('reserve a few requests of a round for unlisted outcomes, which do not delay the others', () => {
    const pending = new PendingSettlements();
    for (const outcome of range(0, PENDING_MAX)) pending.recordAnswer(outcome, false, true);
    pending.addList(range(6_000, 11));
    pending.addList([6_010]);
    // Ten were dropped for them.
    expect(pending.due()).toEqual([...range(6_000, REQUESTS_PER_ROUND - UNLISTED_PER_ROUND), 10, 11]);
    // Whatever the text of a repeated request, an outcome stays listed or unlisted.
    pending.recordAnswer(10, false);
    for (const outcome of range(6_000, 8)) pending.recordAnswer(outcome, false, true);
    expect(pending.due()).toEqual([6_008, 6_009, 6_000, 6_001, 6_002, 6_003, 11, 12]);
    for (const outcome of range(6_000, 9)) pending.recordAnswer(outcome, true);
    expect(pending.due()).toEqual([6_009, ...range(11, 7)]);
  });

  it('drop unlisted outcomes sooner', () => {
    const pending = new PendingSettlements();
    const isPending = range(1, UNLISTED_ATTEMPTS_MAX).map(() => pending.recordAnswer(1, false, true));
    expect(isPending.lastIndexOf(true)).toBe(UNLISTED_ATTEMPTS_MAX - 2);
    expect(pending.due()).toEqual([]);
  });

  it('exclude outcomes that are listed again', () => {
    const pending = new PendingSettlements();
    pending.addList([1, 2]);
    pending.addList([2]);
    pending.addList([1, 2]);
    expect(pending.due()).toEqual([]);
  });

  it('are requested in turn, a limited number in each round', () => {
    const pending = new PendingSettlements();
    pending.addList(range(0, REQUESTS_PER_ROUND + 3));
    pending.addList([0]);
    expect(pending.due()).toEqual(range(1, REQUESTS_PER_ROUND));
    for (const outcome of pending.due()) pending.recordAnswer(outcome, false);
    expect(pending.due().slice(0, 3)).toEqual([REQUESTS_PER_ROUND + 1, REQUESTS_PER_ROUND + 2, 1]);
  });

  it('are dropped after many attempts, and beyond a maximum', () => {
    const pending = new PendingSettlements();
    pending.addList([0, 1]);
    pending.addList([0]);
    const isPending = range(1, LISTED_ATTEMPTS_MAX).map(() => pending.recordAnswer(1, false));
    expect(isPending.lastIndexOf(true)).toBe(LISTED_ATTEMPTS_MAX - 2);
    expect(pending.due()).toEqual([]);
    pending.addList(range(0, PENDING_MAX + 2));
    pending.addList([0]);
    expect(pending.due()[0]).toBe(2);
    pending.recordAnswer(5_000, false);
    expect(pending.due()[0]).toBe(3);
  });

  it('ignore an empty list', () => {
    const pending = new PendingSettlements();
    pending.addList([1, 2]);
    pending.addList([]);
    expect([pending.listed(), pending.due()]).toEqual([[1, 2], []]);
    pending.addList([2]);
    expect(pending.due()).toEqual([1]);
  });
});
