import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Parameter } from '#infra/store/store';
import type { LeaderboardsView } from '../views/leaderboards.ts';
import { findCompleteBoard } from './complete-leaderboard.ts';
import type { Reader } from './query.ts';

const OLD = 1_000;
const NEW = 2_000;

/** Boards of three rows, and a table that holds as many rows of each as `rows` states. */
function openBoards() {
  const boards: LeaderboardsView = new Map([OLD, NEW].map((at) => [String(at), { capturedAt: at, rows: 3 }]));
  const rows = new Map([
    [OLD, 3],
    [NEW, 3],
  ]);
  const queries: string[] = [];
  const state = { gate: Promise.resolve(), fault: null as Error | null };
  const store: Reader = {
    async query<T>(_sql: string, parameters: Readonly<Record<string, Parameter>> = {}, name = '') {
      queries.push(name);
      await state.gate;
      if (state.fault) throw state.fault;
      const total = rows.get(parameters.board as number)!;
      return [{ total, packed: Array(total).fill('["0x"]').join('\n'), last: '0x' }] as T[];
    },
  };
  const find = async () => (await findCompleteBoard(store, boards))?.board.capturedAt ?? null;
  return { boards, rows, queries, state, store, find };
}

/** Lets promises that wait for nothing else go on. */
async function settle() {
  for (let times = 0; times < 20; times += 1) await Promise.resolve();
}

describe('the newest complete leaderboard', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => vi.useRealTimers());

  it('is counted and copied once', async () => {
    const { find, queries, store, boards } = openBoards();
    for (let times = 0; times < 5; times += 1) {
      expect(await find()).toBe(NEW);
      vi.advanceTimersByTime(10_000);
    }
    expect(queries).toEqual(['leaderboard-rows', 'leaderboard-counts', 'leaderboard-slice']);
    expect((await findCompleteBoard(store, boards))!.copy.row(2)).toMatchObject({ address: '0x' });
  });

  it('is the board before while rows are missing, which are counted at most once in 250 ms', async () => {
    const { find, rows, queries } = openBoards();
    rows.set(NEW, 2);
    expect(await find()).toBe(OLD);
    expect(queries).toEqual(['leaderboard-rows', 'leaderboard-rows', 'leaderboard-counts', 'leaderboard-slice']);
    rows.set(NEW, 3);
    vi.advanceTimersByTime(249);
    expect(await find()).toBe(OLD);
    expect(queries).toHaveLength(4);
    vi.advanceTimersByTime(1);
    expect(await find()).toBe(OLD);
    await settle();
    expect(queries.slice(4)).toEqual(['leaderboard-rows', 'leaderboard-counts', 'leaderboard-slice']);
    expect(await find()).toBe(NEW);
  });

  it('is not the one of which a row is stored twice and another is missing', async () => {
    const { boards, store } = openBoards();
    const countOf: Readonly<Record<string, number>> = { 'leaderboard-rows': 3, 'leaderboard-counts': 2 };
    const twice: Reader = {
      query: async <T>(_sql: string, _parameters = {}, name = '') => [{ total: countOf[name] }] as T[],
    };
    expect(await findCompleteBoard(twice, boards)).toBeNull();
    expect(await findCompleteBoard(store, new Map())).toBeNull();
  });

  it('is returned without waiting for the count of a newer one', async () => {
    const { find, boards, queries, state } = openBoards();
    expect(await find()).toBe(NEW);
    boards.set('3000', { capturedAt: 3_000, rows: 3 });
    state.gate = new Promise(() => {});
    expect(await find()).toBe(NEW);
    vi.advanceTimersByTime(10_000);
    expect(await find()).toBe(NEW);
    expect(queries.slice(3)).toEqual(['leaderboard-rows']);
  });

  it('is counted again after the store failed, and the failure is returned only if no board is known', async () => {
    const { find, boards, rows, state } = openBoards();
    state.fault = new Error('the store is away');
    await expect(find()).rejects.toThrow('the store is away');
    state.fault = null;
    expect(await find()).toBe(NEW);
    boards.set('3000', { capturedAt: 3_000, rows: 3 });
    rows.set(3_000, 3);
    state.fault = new Error('the store is away');
    expect(await find()).toBe(NEW);
    await settle();
    state.fault = null;
    expect(await find()).toBe(NEW);
    await settle();
    expect(await find()).toBe(3_000);
  });

  it('is not the one of which rows are gone when it is copied', async () => {
    const { boards } = openBoards();
    const emptied: Reader = {
      query: async <T>() => [{ total: 3, packed: '', last: '' }] as T[],
    };
    expect(await findCompleteBoard(emptied, boards)).toBeNull();
  });
});
