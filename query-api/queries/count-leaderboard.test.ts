import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countBoard } from './count-leaderboard.ts';
import type { Reader } from './query.ts';

/** A store whose table holds as many rows of a board as `rows` states. */
function storeOf(rows: () => number) {
  let queries = 0;
  const store: Reader = {
    async query<T>() {
      queries += 1;
      return [{ total: rows(), dayPnl_ranked: 1 }] as T[];
    },
  };
  return { store, queries: () => queries };
}

describe('The count of a leaderboard', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => vi.useRealTimers());

  it('is read once if the board is complete', async () => {
    const { store, queries } = storeOf(() => 3);
    const board = { capturedAt: 1, rows: 3 };
    for (let times = 0; times < 5; times += 1) {
      expect(await countBoard(store, board)).toMatchObject({ total: 3, ranked: { dayPnl: 1 } });
      vi.advanceTimersByTime(10_000);
    }
    expect(queries()).toBe(1);
  });

  it('is null while rows are missing, and read at most once in 250 ms', async () => {
    let rows = 2;
    const { store, queries } = storeOf(() => rows);
    const board = { capturedAt: 1, rows: 3 };
    expect(await Promise.all([countBoard(store, board), countBoard(store, board)])).toEqual([null, null]);
    rows = 3;
    vi.advanceTimersByTime(249);
    expect(await countBoard(store, board)).toBeNull();
    expect(queries()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await countBoard(store, board)).toMatchObject({ total: 3 });
    expect(queries()).toBe(2);
  });

  it('is read again after the store failed', async () => {
    let fails = true;
    const { store } = storeOf(() => {
      if (fails) throw new Error('the store is away');
      return 3;
    });
    const board = { capturedAt: 1, rows: 3 };
    await expect(countBoard(store, board)).rejects.toThrow('the store is away');
    fails = false;
    expect(await countBoard(store, board)).toMatchObject({ total: 3 });
  });
});
