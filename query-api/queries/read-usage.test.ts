import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { usageTable } from '#schemas/tables/usage';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { readUsage } from './read-usage.ts';

const DAY_MS = 86_400_000;
const DAY = Date.UTC(2026, 2, 1);
let opened: Awaited<ReturnType<typeof openTestStore>>;
let store: Store;
beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
  let offset = 0;
  const tell = async (orgId: string, node: string, day: number, dayUnits: number) => {
    offset += 1;
    const told = { node, orgId, sku: 'api.request' as const, minute: day, minuteUnits: 1, day, dayUnits };
    const meta = { topic: 'control.usage', partition: 0, offset, key: '', receivedAt: 0, seq: 0 };
    await store.insert('usage', [usageTable.row(told, meta)]);
  };
  await tell('org_a', 'n1', DAY, 3);
  await tell('org_a', 'n1', DAY, 5);
  await tell('org_a', 'n2', DAY, 10);
  await tell('org_a', 'n1', DAY + DAY_MS, 1);
  await tell('org_b', 'n1', DAY, 100);
});
afterAll(() => opened.close());

describe('the usage of an organization', () => {
  it('adds up the newest totals of all nodes by day', async () => {
    expect(await readUsage(store, 'org_a', DAY, DAY + DAY_MS)).toEqual([
      { day: '2026-03-01', sku: 'api.request', units: 15 },
      { day: '2026-03-02', sku: 'api.request', units: 1 },
    ]);
  });
  it('is told of the days that are asked for alone, and of no other organization', async () => {
    expect(await readUsage(store, 'org_a', DAY + DAY_MS, DAY + DAY_MS)).toHaveLength(1);
    expect(await readUsage(store, 'org_c', DAY, DAY)).toEqual([]);
  });
});
