import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usageTable } from '#schemas/tables/usage';
import { insertRows } from '../testing/insert-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { readUsage } from './read-usage.ts';

const DAY_MS = 86_400_000;
const DAY = Date.UTC(2026, 2, 1);
const { store, close } = await openTestStore();
afterAll(close);
beforeAll(async () => {
  let seq = 0;
  const insert = async (orgId: string, node: string, day: number, dayUnits: number) => {
    seq += 1;
    const record = { node, orgId, sku: 'api.request' as const, minute: day, minuteUnits: 1, day, dayUnits };
    await insertRows(store, usageTable, [record], seq);
  };
  await insert('org_a', 'n1', DAY, 3);
  await insert('org_a', 'n1', DAY, 5);
  await insert('org_a', 'n2', DAY, 10);
  await insert('org_a', 'n1', DAY + DAY_MS, 1);
  await insert('org_b', 'n1', DAY, 100);
});

describe('readUsage', () => {
  it('sums the newest totals of all nodes by day', async () => {
    expect(await readUsage(store, 'org_a', DAY, DAY + DAY_MS)).toEqual([
      { day: '2026-03-01', sku: 'api.request', units: 15 },
      { day: '2026-03-02', sku: 'api.request', units: 1 },
    ]);
  });
  it('returns only the requested days and organization', async () => {
    expect(await readUsage(store, 'org_a', DAY + DAY_MS, DAY + DAY_MS)).toHaveLength(1);
    expect(await readUsage(store, 'org_c', DAY, DAY)).toEqual([]);
  });
});
