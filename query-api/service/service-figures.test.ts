import { expect, it, onTestFinished } from 'vitest';
import { TABLES } from '#schemas/tables/index';
import { aDelivery, insertDeliveries } from '../testing/deliveries.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { createServiceFigures } from './service-figures.ts';

it('counts the rows and bytes of every table, and reads again once the figures are old', async () => {
  const { store, close } = await openTestStore();
  onTestFinished(close);
  let [reads, now] = [0, 0];
  const figures = createServiceFigures({
    nodes: { current: () => [] },
    log: {
      sizes: async () => {
        reads += 1;
        if (reads === 1) throw new Error('the log is away');
        return [];
      },
    },
    reader: store,
    store,
    dataDir: '.',
    now: () => now,
  });
  await insertDeliveries(store, [aDelivery(), aDelivery({ id: 'dlv_2' })]);
  await expect(figures.sizes()).rejects.toThrow('away');
  const { tables, diskFreeBytes } = await figures.sizes();
  expect(tables.find(({ table }) => table === 'deliveries')).toMatchObject({ rows: 2 });
  expect(tables[0]!.bytes).toBeGreaterThan(0);
  expect(tables.find(({ table }) => table === 'trades')).toEqual({ table: 'trades', rows: 0, bytes: 0 });
  expect(new Set(tables.map(({ table }) => table))).toEqual(new Set(TABLES.map(({ name }) => name)));
  expect(diskFreeBytes).toBeGreaterThan(0);
  now = 9_999;
  await figures.sizes();
  expect(reads).toBe(2);
  now = 10_000;
  await figures.sizes();
  expect(reads).toBe(3);
});
