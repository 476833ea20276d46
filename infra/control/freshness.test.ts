import { describe, expect, it, vi } from 'vitest';
import { Freshness, STALE_AFTER_MS } from './freshness.ts';

function open(newest: () => Promise<number>) {
  let clock = 0;
  const freshness = new Freshness({ newest, onProblem: () => {}, now: () => clock });
  const advance = (ms: number) => {
    clock += ms;
  };
  return { freshness, advance };
}

describe('freshness', () => {
  it('lasts for its time after a moment up to which everything was processed', async () => {
    const { freshness, advance } = open(async () => 4);
    freshness.reached(4);
    advance(STALE_AFTER_MS - 1);
    expect(freshness.isFresh).toBe(true);
    await freshness.check();
    advance(STALE_AFTER_MS - 1);
    expect(freshness.isFresh).toBe(true);
    advance(1);
    expect(freshness.isFresh).toBe(false);
  });

  it('counts from the query, not from when its result was reached', async () => {
    const { freshness, advance } = open(async () => 4);
    advance(STALE_AFTER_MS - 10);
    await freshness.check();
    advance(20);
    expect(freshness.isFresh).toBe(false);
    freshness.reached(3);
    expect(freshness.isFresh).toBe(false);
    freshness.reached(4);
    expect(freshness.isFresh).toBe(true);
    advance(STALE_AFTER_MS - 20);
    expect(freshness.isFresh).toBe(false);
  });

  it('does not query again before it reached the last result, so that a constant delay is no outage', async () => {
    const newest = vi.fn(async () => 4);
    const { freshness } = open(newest);
    await freshness.check();
    await freshness.check();
    expect(newest).toHaveBeenCalledTimes(1);
    freshness.reached(4);
    await freshness.check();
    expect(newest).toHaveBeenCalledTimes(2);
  });

  it('returns at once after a start that took longer than it lasts', async () => {
    const { freshness, advance } = open(async () => 4);
    freshness.reached(4);
    advance(2 * STALE_AFTER_MS);
    expect(freshness.isFresh).toBe(false);
    const ending = new AbortController();
    const watched = freshness.watch(ending.signal);
    await vi.waitFor(() => expect(freshness.isFresh).toBe(true));
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
    const freshness = new Freshness({ newest, onProblem: (error) => void reported.push(error), staleAfterMs: 60 });
    const ending = new AbortController();
    const watched = freshness.watch(ending.signal);
    await vi.waitFor(() => expect(freshness.isFresh).toBe(false));
    expect(reported[0]).toMatchObject({ message: 'unavailable' });
    isUnavailable = false;
    await vi.waitFor(() => expect(freshness.isFresh).toBe(true));
    expect(reported.at(-1)).toBeNull();
    ending.abort();
    await watched;
  });
});
