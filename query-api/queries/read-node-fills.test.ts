import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { nodeFillsTable } from '#schemas/tables/node-fills';
import type { NodeFill, NodeFillCoverage } from '#schemas/topics/node-fills';
import { insertRows } from '../testing/insert-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { createViews } from '../testing/records.fixture.ts';
import { coversRetention, readNodeFills } from './read-node-fills.ts';

const { store, close } = await openTestStore();
afterAll(close);

const DAY_MS = 86_400_000;
const A = `0x${'a'.repeat(40)}`;
const B = `0x${'b'.repeat(40)}`;
const NOW = Date.now();

const fillOf = (user: string, time: number, tid: number, place = 0): NodeFill => ({
  user,
  coin: 'BTC',
  time,
  tid,
  place,
  fill: JSON.stringify({ coin: 'BTC', px: '1.50', time, tid }),
  receivedAt: time,
});
const insert = (fills: readonly NodeFill[], seq = 1) => insertRows(store, nodeFillsTable, fills, seq);

let coverage: NodeFillCoverage[];
let storedUntil: number | null;
beforeEach(async () => {
  await store.command('TRUNCATE TABLE node_fills');
  coverage = [{ since: NOW - 15 * DAY_MS, until: NOW, receivedAt: NOW }];
  storedUntil = NOW;
});
const read = (user = A, limit = 10) => {
  const views = createViews();
  const freshness = { ...views.freshness, tablesAsOf: async () => storedUntil };
  return readNodeFills(store, { nodeFillCoverage: { records: coverage }, freshness }, user, { limit, now: NOW });
};
const tidsOf = ({ fills }: Awaited<ReturnType<typeof read>>) => (fills as { tid: number }[]).map(({ tid }) => tid);

describe('readNodeFills', () => {
  it('returns the newest fills of the user, in the order of execution within a time', async () => {
    await insert([fillOf(A, NOW - 9, 4), fillOf(A, NOW - 5, 2, 1), fillOf(A, NOW - 5, 3, 0), fillOf(B, NOW - 5, 3, 2)]);
    expect(tidsOf(await read())).toEqual([3, 2, 4]);
    expect((await read(A, 1)).fills).toEqual([{ coin: 'BTC', px: '1.50', time: NOW - 5, tid: 3 }]);
  });

  it('returns a fill once that was inserted twice, and as many as requested', async () => {
    const fills = Array.from({ length: 30 }, (_, nth) => fillOf(A, NOW - nth, nth));
    await insert(fills);
    await insert(fills, 2);
    expect(tidsOf(await read(A, 10))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('is complete if the table holds everything until some seconds ago', async () => {
    expect(await read()).toEqual({ fills: [], isComplete: true });
    storedUntil = NOW - 1;
    expect((await read()).isComplete).toBe(false);
    coverage.unshift({ since: NOW - 15 * DAY_MS, until: NOW - 5_000, receivedAt: NOW - 5_000 });
    expect((await read()).isComplete).toBe(true);
    storedUntil = null;
    expect((await read()).isComplete).toBe(false);
  });

  it('reads nothing without a node', async () => {
    await insert([fillOf(A, NOW, 1)]);
    coverage = [];
    expect(await read()).toEqual({ fills: [], isComplete: false });
  });
});

it.each([
  [14 * DAY_MS, 10_000, true],
  [14 * DAY_MS - 1, 0, false],
  [14 * DAY_MS, 10_001, false],
])('fills since %d ms ago whose newest block is %d ms old are complete: %s', (sinceMs, ageMs, expected) => {
  expect(coversRetention({ since: NOW - sinceMs, until: NOW - ageMs }, NOW)).toBe(expected);
});
