import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { leaderboardTable } from '#schemas/tables/leaderboard';
import {
  LEADERBOARD_WINDOWS,
  type LeaderboardRow,
  type LeaderboardWindow,
  leaderboardTopic,
} from '#schemas/topics/leaderboard';
import { LEADERBOARD_FIGURES, type LeaderboardFigure } from '../../../../queries/board-copy.ts';
import type { Reader } from '../../../../queries/query.ts';
import { insertRows } from '../../../../testing/insert-rows.fixture.ts';
import { openApp } from '../../../../testing/open-app.fixture.ts';
import { openTestStore } from '../../../../testing/open-test-store.fixture.ts';
import { applyRecord, NOON_MS } from '../../../../testing/records.fixture.ts';
import type { TestApp } from '../../../../testing/test-app.fixture.ts';
import { leaderboardsView } from '../../../../views/leaderboards.ts';

const PATH = '/v1/markets/venue_a/leaderboard';
const CAPTURED = '2026-03-01T12:00:00.000Z';
const TRADERS = 60;
const address = (nth: number) => `0x${((nth * 37) % 97).toString(16).padStart(2, '0').repeat(20)}`;

/** A trader with figures that are equal for several traders, and unknown for some. */
function traderOf(nth: number, capturedAt = NOON_MS): LeaderboardRow {
  const figure = (salt: number) => (((nth + salt) * 7) % 5 === 0 ? null : String((((nth * salt) % 9) - 4) * 1.5));
  return {
    capturedAt,
    address: address(nth),
    displayName: nth % 2 === 0 ? `Trader ${nth}` : null,
    accountValue: nth === 3 ? null : `${nth}.25`,
    dayPnl: figure(1),
    dayRoi: figure(2),
    dayVlm: figure(3),
    weekPnl: figure(4),
    weekRoi: figure(5),
    weekVlm: figure(6),
    monthPnl: figure(7),
    monthRoi: figure(8),
    monthVlm: figure(9),
    allTimePnl: figure(10),
    allTimeRoi: figure(11),
    allTimeVlm: figure(12),
  };
}

const ROWS = Array.from({ length: TRADERS }, (_, nth) => traderOf(nth));
const figureOf = (row: LeaderboardRow, window: LeaderboardWindow, figure: LeaderboardFigure) =>
  row[`${window}${figure[0]!.toUpperCase()}${figure.slice(1)}` as 'dayPnl'];
const numberOf = (text: string | null) => (text === null ? null : Number(text));

/** The rows of the board in descending order with their ranks, by the rules alone. */
function rankedRows(window: LeaderboardWindow, sortBy: LeaderboardFigure) {
  const keyed = ROWS.map((row) => ({ row, figure: numberOf(figureOf(row, window, sortBy)) }));
  keyed.sort(
    (a, b) =>
      Number(a.figure === null) - Number(b.figure === null) ||
      (b.figure ?? 0) - (a.figure ?? 0) ||
      (a.row.address < b.row.address ? -1 : 1),
  );
  return keyed.map(({ row }, at) => ({
    rank: at + 1,
    ethAddress: row.address,
    displayName: row.displayName,
    accountValue: numberOf(row.accountValue),
    pnl: numberOf(figureOf(row, window, 'pnl')),
    roi: numberOf(figureOf(row, window, 'roi')),
    vlm: numberOf(figureOf(row, window, 'vlm')),
  }));
}

let store: Store;
let closeStore: () => Promise<void>;
beforeAll(async () => {
  ({ store, close: closeStore } = await openTestStore());
  await insertRows(store, leaderboardTable, ROWS.slice(0, 40));
  // Rows that are inserted again after a crash of the sink count once.
  await insertRows(store, leaderboardTable, ROWS.slice(30), 31);
  // The rows of a board that is only on its way into the table.
  await insertRows(
    store,
    leaderboardTable,
    ROWS.slice(0, 50).map((row) => ({ ...row, capturedAt: NOON_MS + 1_000 })),
  );
});
afterAll(() => closeStore());

/** Names of the queries that were sent. */
const queried: string[] = [];

async function openBoards(...boards: { capturedAt: number; rows: number }[]): Promise<TestApp> {
  const reader: Reader = {
    query(sql, parameters, name) {
      queried.push(name ?? '');
      return store.query(sql, parameters);
    },
  };
  const test = await openApp({ app: { store: reader } });
  for (const board of boards)
    applyRecord(leaderboardsView, test.views.leaderboards, leaderboardTopic, String(board.capturedAt), board);
  return test;
}
const openBoard = () => openBoards({ capturedAt: NOON_MS, rows: TRADERS });

describe(`GET ${PATH}`, () => {
  const rankings = LEADERBOARD_WINDOWS.flatMap((window) =>
    LEADERBOARD_FIGURES.map((sortBy) => [window, sortBy] as const),
  );

  it.each(rankings)(
    'lists the board by %s %s in both orders, with the same ranks and unknown figures last',
    async (window, sortBy) => {
      const test = await openBoard();
      const expected = rankedRows(window, sortBy);
      const desc = await test.get(`${PATH}?window=${window}&sortBy=${sortBy}&limit=500`);
      expect(desc.json()).toEqual({
        window,
        sortBy,
        order: 'desc',
        capturedAt: CAPTURED,
        total: TRADERS,
        count: TRADERS,
        limit: 500,
        offset: 0,
        rows: expected,
      });
      const asc = await test.get(`${PATH}?window=${window}&sortBy=${sortBy}&order=asc&limit=500`);
      const known = expected.filter((row) => row[sortBy] !== null);
      const unknown = expected.filter((row) => row[sortBy] === null);
      expect(known.length).toBeGreaterThan(0);
      expect(unknown.length).toBeGreaterThan(0);
      expect((asc.json() as { rows: unknown }).rows).toEqual([...known.reverse(), ...unknown.reverse()]);
    },
  );

  it.each(['desc', 'asc'])('gives the same rows and ranks page by page, in order %s', async (order) => {
    const test = await openBoard();
    const read = async (query: string) =>
      (await test.get(`${PATH}?order=${order}&${query}`)).json() as { rows: object[] };
    const complete = (await read('limit=500')).rows;
    const pages: object[] = [];
    for (let offset = 0; offset < TRADERS; offset += 7) pages.push(...(await read(`limit=7&offset=${offset}`)).rows);
    expect(pages).toEqual(complete);
  });

  it('reads a board and each of its rankings once', async () => {
    const test = await openBoard();
    queried.length = 0;
    const read = async (query: string) => expect((await test.get(`${PATH}?${query}`)).status).toBe(200);
    await read('limit=10');
    expect(queried.sort()).toEqual([
      'leaderboard-counts',
      'leaderboard-ranking',
      'leaderboard-rows',
      'leaderboard-slice',
    ]);
    await read('limit=7&offset=20&order=asc');
    await read(`address=${address(1)}`);
    expect(queried).toHaveLength(4);
    await read('sortBy=vlm');
    expect(queried.slice(4)).toEqual(['leaderboard-ranking']);
  });

  it('ranks by the profit of a day by default, and 100 rows are a page', async () => {
    const test = await openBoard();
    expect((await test.get(PATH)).json()).toMatchObject({
      window: 'day',
      sortBy: 'pnl',
      order: 'desc',
      limit: 100,
      offset: 0,
    });
  });

  it.each([
    ['limit=0', { limit: 1, count: 1 }],
    ['limit=-5', { limit: 1, count: 1 }],
    ['limit=501', { limit: 500, count: TRADERS }],
    ['limit=99999999999999999999', { limit: 500, count: TRADERS }],
    ['offset=-1', { offset: 0, count: TRADERS }],
    ['offset=59', { offset: 59, count: 1 }],
    ['offset=60', { offset: 60, count: 0, total: TRADERS, rows: [] }],
    ['offset=99999999999999999999', { offset: 1_000_000, count: 0 }],
  ])('clamps %s', async (query, expected) => {
    const test = await openBoard();
    expect((await test.get(`${PATH}?${query}`)).json()).toMatchObject(expected);
  });

  it.each(['window=year', 'sortBy=accountValue', 'order=down', 'limit=1.5', 'offset=x', 'address=0x12', 'address='])(
    'refuses %s and names the parameter',
    async (query) => {
      const test = await openBoard();
      const answer = await test.get(`${PATH}?${query}`);
      expect(answer.status).toBe(400);
      const { error } = answer.json() as { error: { code: string; message: string } };
      expect(error.code).toBe('validation_failed');
      expect(error.message).toMatch(new RegExp(`^${query.split('=')[0]}`));
    },
  );

  it.each(rankings)('returns every trader with the rank of the listing by %s %s', async (window, sortBy) => {
    const test = await openBoard();
    for (const row of rankedRows(window, sortBy).filter((_, nth) => nth % 7 === 0 || nth > TRADERS - 3)) {
      const upper = `0x${row.ethAddress.slice(2).toUpperCase()}`;
      const answer = await test.get(`${PATH}?window=${window}&sortBy=${sortBy}&order=asc&limit=3&address=${upper}`);
      expect(answer.json()).toEqual({ window, sortBy, order: 'asc', capturedAt: CAPTURED, trader: row });
    }
  });

  it('returns null for a trader who is not on the board', async () => {
    const test = await openBoard();
    const answer = await test.get(`${PATH}?address=0x${'0'.repeat(39)}1`);
    expect(answer.json()).toEqual({ window: 'day', sortBy: 'pnl', order: 'desc', capturedAt: CAPTURED, trader: null });
  });

  it('returns an empty board before the first one was captured', async () => {
    const test = await openApp({ app: { store } });
    const empty = { capturedAt: null, total: 0, count: 0, rows: [] };
    expect((await test.get(PATH)).json()).toMatchObject(empty);
    expect((await test.get(`${PATH}?address=${address(1)}`)).json()).toMatchObject({ capturedAt: null, trader: null });
  });

  it('shows the board before until the table has every row of the newest', async () => {
    const newest = { capturedAt: NOON_MS + 1_000, rows: TRADERS };
    const older = { capturedAt: NOON_MS, rows: TRADERS };
    const test = await openBoards(older, newest);
    expect((await test.get(`${PATH}?limit=1`)).json()).toMatchObject({ capturedAt: CAPTURED, total: TRADERS });
    expect((await test.get(`${PATH}?address=${address(1)}`)).json()).toMatchObject({ capturedAt: CAPTURED });
    await insertRows(
      store,
      leaderboardTable,
      ROWS.slice(50).map((row) => ({ ...row, capturedAt: newest.capturedAt })),
    );
    // Another page each time: equal requests are cached.
    let limit = 1;
    const readAgain = async () => {
      limit += 1;
      return (await test.get(`${PATH}?limit=${limit}`)).json();
    };
    await expect
      .poll(readAgain, { timeout: 10_000 })
      .toMatchObject({ capturedAt: '2026-03-01T12:00:01.000Z', total: TRADERS });
  });

  it('needs the scope read', async () => {
    const test = await openBoard();
    const answer = await test.request('GET', PATH, { authorization: `Bearer ${test.cachedToken(['stream'])}` });
    expect([answer.status, answer.json()]).toMatchObject([403, { error: { code: 'insufficient_scope' } }]);
  });
});
