/** Compares live with expected rows, both inserted by the test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { truncateTable } from '#schemas/tables/cluster-statements';
import type { RecordMeta } from '#schemas/tables/declaration';
import { TABLES } from '#schemas/tables/index';
import { marketsTable } from '#schemas/tables/markets';
import { sampleRecords, sampleTrade } from '#schemas/tables/sample-records.fixture';
import { tradesTable } from '#schemas/tables/trades';
import { usageTable } from '#schemas/tables/usage';
import type { Market } from '#schemas/topics/normalised';
import { migrate } from '../../../store/migrate.ts';
import { openStore } from '../../../store/open-store.ts';
import type { Store } from '../../../store/store.ts';
import { TEST_STORES, type TestStore } from '../../../testing/test-stores.ts';
import { compareTables } from './compare-tables.ts';
import { createVersionTables, type RowClass, tableOf } from './expected-rows.ts';

const CLASSES: readonly RowClass[] = ['required', 'pending', 'expired'];

describe.each(TEST_STORES)('%s', (_, startStore) => {
  let path: string;
  let testStore: TestStore;
  let live: Store;
  let expected: Store;
  /** Tables that the current test has inserted into, in any of their databases. */
  const filled = new Set<string>();
  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'parallax-compare-'));
    testStore = await startStore(path);
    live = await openStore({ ...testStore.settings, dataDir: path });
    expected = await live.inDatabase('expected');
    await Promise.all([migrate(live), migrate(expected)]);
    await createVersionTables(expected);
  });
  afterAll(async () => {
    await live.close();
    await testStore.stop();
    await rm(path, { recursive: true, force: true });
  });
  // To empty every table would take longer than all tests together.
  afterEach(async () => {
    for (const name of filled) {
      await live.command(truncateTable(name, live.cluster));
      for (const rowClass of CLASSES) await expected.command(truncateTable(tableOf(name, rowClass), live.cluster));
    }
    filled.clear();
  });

  const meta = (version: number): RecordMeta => ({ ...sampleRecords.trades!.meta, seq: version, offset: version });
  const trade = (id: string, version = 1, price = '0.5') =>
    tradesTable.row({ ...sampleTrade, id, price }, meta(version));
  const market = (id: string, version = 1, title = 'a') => {
    const { value, meta: place } = sampleRecords.markets!;
    return marketsTable.row({ ...(value as Market), marketId: id, title }, { ...place, seq: version });
  };
  const removedMarket = (id: string, version: number) =>
    (marketsTable.tombstone as (place: RecordMeta) => object)({
      ...sampleRecords.markets!.meta,
      key: id,
      seq: version,
    }) as Record<string, unknown>;
  const insert = (side: 'live' | RowClass, table: string, ...rows: object[]) => {
    filled.add(table);
    return side === 'live'
      ? live.insert(table, rows as Record<string, unknown>[])
      : expected.insert(tableOf(table, side), rows as Record<string, unknown>[]);
  };

  async function compare(options: { receivedSince?: number; bucketRows?: number } = {}) {
    const { differences, pending } = await compareTables({ live, expected, receivedSince: null, ...options });
    const field = (text: string | null) => {
      const row = text === null ? null : (JSON.parse(text) as { price?: string; title?: string });
      return row && (row.price?.replace(/0+$/, '') ?? row.title ?? 'row');
    };
    const found = differences.map(({ table, key, expected: wanted, actual }) => [
      table,
      key.split(' ').at(-1),
      field(wanted),
      field(actual),
    ]);
    return { found: found.sort(), pending };
  }

  describe('committed rows', () => {
    it('are reported with their key when they are missing, extra or altered', async () => {
      const rows = Array.from({ length: 300 }, (_, at) => trade(`t${at}`));
      await insert('required', 'trades', ...rows);
      await insert('live', 'trades', ...rows.filter(({ id }) => id !== 't7' && id !== 't8'));
      await insert('live', 'trades', trade('t8', 1, '0.6'), trade('unexpected'));
      expect(await compare({ bucketRows: 10 })).toEqual({
        found: [
          ['trades', 't7', '0.5', null],
          ['trades', 't8', '0.5', '0.6'],
          ['trades', 'unexpected', null, '0.5'],
        ],
        pending: {},
      });
    });

    it('are reported when the live table holds an older version', async () => {
      await insert('required', 'trades', trade('t', 2, '0.6'));
      await insert('live', 'trades', trade('t', 1));
      expect((await compare()).found).toEqual([['trades', 't', '0.6', '0.5']]);
    });

    it('are reported when they were removed but are still visible', async () => {
      await insert('required', 'markets', market('m', 1), removedMarket('m', 2));
      await insert('live', 'markets', market('m', 1));
      expect((await compare()).found).toEqual([['markets', 'm', null, 'a']]);
    });

    it('are listed up to a hundred differences per table', async () => {
      await insert('required', 'trades', ...Array.from({ length: 150 }, (_, at) => trade(`t${at}`)));
      expect((await compare({ bucketRows: 10 })).found).toHaveLength(100);
    });

    it('are ignored if they were received before the comparison starts', async () => {
      await insert('live', 'trades', trade('old'));
      expect((await compare({ receivedSince: sampleTrade.receivedAt + 1 })).found).toEqual([]);
      expect((await compare({ receivedSince: sampleTrade.receivedAt })).found).toHaveLength(1);
    });
  });

  describe('pending rows', () => {
    it('are counted as pending, not as differences, when the live table lacks them', async () => {
      await insert('required', 'trades', trade('a', 1), trade('b', 1));
      await insert('pending', 'trades', trade('b', 2, '0.6'), trade('b', 3, '0.7'), trade('c', 4));
      await insert('live', 'trades', trade('a', 1), trade('b', 1));
      expect(await compare()).toEqual({ found: [], pending: { trades: 2 } });
    });

    it('may already be in the live table, in any of their versions', async () => {
      await insert('pending', 'trades', trade('b', 2, '0.6'), trade('b', 3, '0.7'), trade('c', 4));
      await insert('live', 'trades', trade('b', 2, '0.6'), trade('c', 4));
      expect(await compare()).toEqual({ found: [], pending: { trades: 1 } });
      await insert('live', 'trades', trade('b', 3, '0.7'));
      expect(await compare()).toEqual({ found: [], pending: {} });
    });

    it('are differences when the live table holds them altered', async () => {
      await insert('required', 'trades', trade('b', 1));
      await insert('pending', 'trades', trade('b', 2), trade('c', 3));
      await insert('live', 'trades', trade('b', 2, '0.9'), trade('c', 3, '0.9'));
      expect((await compare()).found).toEqual([
        ['trades', 'b', '0.5', '0.9'],
        ['trades', 'c', '0.5', '0.9'],
      ]);
    });

    it('do not hide the loss of the committed row before them', async () => {
      await insert('required', 'trades', trade('b', 1));
      await insert('pending', 'trades', trade('b', 2));
      expect((await compare()).found).toEqual([['trades', 'b', '0.5', null]]);
    });

    it('may remove a committed row', async () => {
      await insert('required', 'markets', market('m', 1));
      await insert('pending', 'markets', removedMarket('m', 2));
      await insert('live', 'markets', market('m', 1));
      expect(await compare()).toEqual({ found: [], pending: { markets: 1 } });
      await insert('live', 'markets', removedMarket('m', 2));
      expect(await compare()).toEqual({ found: [], pending: {} });
    });
  });

  describe('expired rows', () => {
    it('may be missing, and are compared when they are present', async () => {
      await insert('expired', 'deliveries', ...['gone', 'present'].map(delivery));
      await insert('required', 'deliveries', delivery('missing'));
      await insert('live', 'deliveries', delivery('present'), delivery('unexpected'));
      expect(await compare()).toEqual({
        found: [
          ['deliveries', 'missing', 'row', null],
          ['deliveries', 'unexpected', null, 'row'],
        ],
        pending: {},
      });
    });
    const delivery = (id: string) => {
      const { value, meta: place } = sampleRecords.deliveries!;
      return TABLES.find(({ name }) => name === 'deliveries')!.row({ ...(value as object), id }, place);
    };
  });

  describe('rows that no stage derives', () => {
    const usage = (node: string, dayUnits: number) => {
      const { value, meta: place } = sampleRecords.usage!;
      return usageTable.row({ ...(value as never as object), node, dayUnits } as never, place);
    };

    it('are compared where their topic still holds their record, and ignored elsewhere', async () => {
      await insert('required', 'usage', usage('altered', 1), usage('missing', 1));
      await insert('live', 'usage', usage('altered', 2), usage('compacted', 3));
      expect((await compare()).found).toEqual([
        ['usage', 'altered', 'row', 'row'],
        ['usage', 'missing', 'row', null],
      ]);
    });
  });
});
