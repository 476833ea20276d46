import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliveriesTable } from '#schemas/tables/deliveries';
import { sampleRecords } from '#schemas/tables/sample-records.fixture';
import type { Delivery } from '#schemas/topics/webhooks';
import { openEmbeddedStore } from '../../store/embedded.ts';
import { migrate } from '../../store/migrate.ts';
import type { Store } from '../../store/store.ts';
import { compareTables } from './compare.ts';

const DAY_MS = 86_400_000;

let path: string;
let live: Store;
let rebuilt: Store;
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'parallax-compare-'));
  live = await openEmbeddedStore({ path });
  rebuilt = await live.inDatabase('rebuilt');
  await Promise.all([migrate(live), migrate(rebuilt)]);
});
afterAll(async () => {
  await live.close();
  await rm(path, { recursive: true, force: true });
});
beforeEach(() => Promise.all([live, rebuilt].map((store) => store.command('TRUNCATE TABLE deliveries'))));

/** Keeps a delivery of so many days ago. */
async function deliver(store: Store, id: string, days: number, body = '{}'): Promise<void> {
  const { value, meta } = sampleRecords.deliveries!;
  const at = Date.now() - days * DAY_MS;
  const delivery = { ...(value as Delivery), id, body, receivedAt: at, createdAt: at };
  await store.insert('deliveries', [deliveriesTable.row(delivery, meta)]);
}
const found = async () =>
  (await compareTables(live, rebuilt)).map(({ table, expected, actual }) => [
    table,
    expected && JSON.parse(expected).id,
    actual && JSON.parse(actual).id,
  ]);

describe('deliveries', () => {
  it('are missed where the store still has to have them, and only there', async () => {
    for (const [id, days] of [
      ['gone', 31],
      ['missing', 2],
    ] as const)
      await deliver(rebuilt, id, days);
    expect(await found()).toEqual([['deliveries', 'missing', null]]);
  });

  it('that are there are compared however old they are', async () => {
    await deliver(live, 'made up', 100);
    expect(await found()).toEqual([['deliveries', null, 'made up']]);
  });
});
