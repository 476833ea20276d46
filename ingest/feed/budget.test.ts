import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Budget } from './budget.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Times, from now, at which each of so many asked at once may go. */
async function served(budget: Budget, costs: number[], withinMs: number): Promise<number[]> {
  const began = Date.now();
  const times: number[] = [];
  for (const cost of costs) void budget.take(cost).then(() => void times.push(Date.now() - began));
  await vi.advanceTimersByTimeAsync(withinMs);
  return times;
}

describe('a budget', () => {
  it('lets its capacity go at once, and the rest as it grows back', async () => {
    const budget = new Budget({ capacity: 3, perMinute: 60 });
    expect(await served(budget, [1, 1, 1, 1, 1], 10_000)).toEqual([0, 0, 0, 1_000, 2_000]);
  });

  it('never spends more in a minute than its capacity and what grows back', async () => {
    const budget = new Budget({ capacity: 10, perMinute: 20 });
    const times = await served(budget, Array(100).fill(1), 180_000);
    for (const from of [0, 10_000, 60_000])
      expect(times.filter((time) => time >= from && time < from + 60_000).length).toBeLessThanOrEqual(30);
    expect(times.length).toBeGreaterThan(65);
  });

  it('keeps the order of asking, so that a large cost is not passed by small ones', async () => {
    const budget = new Budget({ capacity: 10, perMinute: 600 });
    expect(await served(budget, [10, 10, 1], 5_000)).toEqual([0, 1_000, 1_100]);
  });

  it('serves a cost above its capacity when it is full', async () => {
    const budget = new Budget({ capacity: 5, perMinute: 60 });
    expect(await served(budget, [20], 100)).toEqual([0]);
  });

  it('spends nothing while it is blocked', async () => {
    const budget = new Budget({ capacity: 5, perMinute: 60 });
    budget.blockFor(3_000);
    budget.blockFor(1_000);
    expect(await served(budget, [1], 10_000)).toEqual([3_000]);
  });

  it('lets a waiter go who is told to stop', async () => {
    const budget = new Budget({ capacity: 1, perMinute: 1 });
    await budget.take(1);
    const abort = new AbortController();
    const waiting = budget.take(1, abort.signal);
    abort.abort(new Error('closing'));
    await expect(waiting).rejects.toThrow('closing');
    await expect(budget.take(1, abort.signal)).rejects.toThrow('closing');
  });
});
