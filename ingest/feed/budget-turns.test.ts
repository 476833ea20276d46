/** In which order those that wait for a budget are served. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Budget } from './budget.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('those that wait', () => {
  /** Spends a cost as soon as it may, and adds its name and the time to `served`. */
  const spender = (budget: Budget) => {
    const began = Date.now();
    const served: string[] = [];
    const spend = async (name: string, cost: number, priority: number, payer?: string): Promise<void> => {
      const payers = payer === undefined ? {} : { payers: new Set([payer]) };
      (await budget.reserve(cost, { priority, ...payers })).settle();
      served.push(`${name} ${Date.now() - began}`);
    };
    return { served, spend };
  };

  it('are served with a large cost although small ones of others arrive all the time', async () => {
    const reserved = { priority: 1, cost: 10, spare: 3 };
    const { served, spend } = spender(new Budget({ max: 20, windowMs: 1_000, reserved }));
    await spend('large', 1, 1, 'large');
    for (let nth = 0; nth < 200; nth += 1) {
      if (nth === 50) void spend('large', 8, 1, 'large');
      void spend('small', 1, 1, `payer ${nth % 40}`);
      await vi.advanceTimersByTimeAsync(50);
    }
    const times = served.filter((text) => text.startsWith('large')).map((text) => Number(text.split(' ')[1]));
    expect(times).toHaveLength(2);
    expect(times[1]! - 50 * 50).toBeLessThan(1_000);
  });

  it('are served in turns of their payers, each with its oldest cost', async () => {
    const { served, spend } = spender(new Budget({ max: 4, windowMs: 1_000, reserved: { priority: 1, cost: 2 } }));
    for (let nth = 0; nth < 7; nth += 1) void spend(`much ${nth}`, 1, 1, 'much');
    await vi.advanceTimersByTimeAsync(100);
    for (const name of ['a 0', 'a 1', 'b 0']) void spend(name, 1, 1, name[0]);
    await vi.advanceTimersByTimeAsync(900);
    expect(served.slice(4)).toEqual(['much 4 1000', 'a 0 1000', 'b 0 1000', 'much 5 1000']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(served.slice(8)).toEqual(['a 1 2000', 'much 6 2000']);
  });

  it('behind the reserved priority are served after a window, although more important ones arrive all the time', async () => {
    const reserved = { priority: 1, cost: 5, behindMax: 3 };
    const { served, spend } = spender(new Budget({ max: 10, windowMs: 1_000, reserved }));
    const repairs = async (): Promise<void> => {
      while (served.length < 40) await spend('repair', 1, 2);
    };
    for (let nth = 0; nth < 4; nth += 1) void repairs();
    await vi.advanceTimersByTimeAsync(10);
    void spend('bars', 1, 4);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(served).toContain('bars 2000');
  });
});
