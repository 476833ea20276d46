import { describe, expect, it, vi } from 'vitest';
import { ReplicaLag, STALE_AFTER_MS } from './replica-lag.ts';

function open(newest: () => Promise<number>) {
  let clock = 0;
  const lag = new ReplicaLag({ newest, onProblem: () => {}, now: () => clock });
  const advance = (ms: number) => {
    clock += ms;
  };
  return { lag, advance };
}

describe('lag', () => {
  it('lasts for its time after a moment up to which everything was processed', async () => {
    const { lag, advance } = open(async () => 4);
    lag.reached(4);
    advance(STALE_AFTER_MS - 1);
    expect(lag.isCurrent).toBe(true);
    await lag.check();
    advance(STALE_AFTER_MS - 1);
    expect(lag.isCurrent).toBe(true);
    advance(1);
    expect(lag.isCurrent).toBe(false);
  });

  it('counts from the query, not from when its result was reached', async () => {
    const { lag, advance } = open(async () => 4);
    advance(STALE_AFTER_MS - 10);
    await lag.check();
    advance(20);
    expect(lag.isCurrent).toBe(false);
    lag.reached(3);
    expect(lag.isCurrent).toBe(false);
    lag.reached(4);
    expect(lag.isCurrent).toBe(true);
    advance(STALE_AFTER_MS - 20);
    expect(lag.isCurrent).toBe(false);
  });

  it('does not query again before it reached the last result, so that a constant delay is no outage', async () => {
    const newest = vi.fn(async () => 4);
    const { lag } = open(newest);
    await lag.check();
    await lag.check();
    expect(newest).toHaveBeenCalledTimes(1);
    lag.reached(4);
    await lag.check();
    expect(newest).toHaveBeenCalledTimes(2);
  });

  it('returns at once after a start that took longer than it lasts', async () => {
    const { lag, advance } = open(async () => 4);
    lag.reached(4);
    advance(2 * STALE_AFTER_MS);
    expect(lag.isCurrent).toBe(false);
    const ending = new AbortController();
    const watched = lag.watch(ending.signal);
    await expect.poll(() => lag.isCurrent).toBe(true);
    ending.abort();
    await watched;
  });

  it('ends while queries fail, and returns when one succeeds', async () => {
    let isUnavailable = true;
    const reported: unknown[] = [];
    const newest = async () => {
      if (isUnavailable) throw new Error('unavailable');
      return -1;
    };
    const lag = new ReplicaLag({ newest, onProblem: (error) => void reported.push(error), staleAfterMs: 60 });
    const ending = new AbortController();
    const watched = lag.watch(ending.signal);
    await expect.poll(() => lag.isCurrent).toBe(false);
    expect(reported[0]).toMatchObject({ message: 'unavailable' });
    isUnavailable = false;
    await expect.poll(() => lag.isCurrent).toBe(true);
    expect(reported.at(-1)).toBeNull();
    ending.abort();
    await watched;
  });
});
