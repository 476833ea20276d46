import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { arbitrageSignalsTable } from '#schemas/tables/arbitrage-signals';
import { createTable } from '#schemas/tables/create-table';
import { TABLES } from '#schemas/tables/index';
import { declaredTable, migrationFor } from '#schemas/tables/migrations/declared-tables';
import { MIGRATIONS } from '#schemas/tables/migrations/index';
import type { Migration } from '#schemas/tables/migrations/migration';
import { sampleRecords, sampleTrade } from '#schemas/tables/sample-records.fixture';
import { tradesTable } from '#schemas/tables/trades';
import { openEmbeddedStore } from './embedded.ts';
import { migrate } from './migrate.ts';
import type { Store } from './store.ts';

const step = (number: number, sql: string[] = []): Migration => ({ number, name: `step-${number}`, sql });
const create = (table: string) => `CREATE TABLE IF NOT EXISTS ${table} (id UInt8) ENGINE = MergeTree ORDER BY id`;

let path: string;
let root: Store;
let store: Store;
let databases = 0;
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'parallax-migrate-'));
  root = await openEmbeddedStore({ path });
});
beforeEach(async () => {
  databases += 1;
  store = await root.inDatabase(`migrate_${databases}`);
});
afterEach(() => root.command(`DROP DATABASE ${store.database}`));
afterAll(async () => {
  await root.close();
  await rm(path, { recursive: true, force: true });
});
const tablesOf = async () =>
  (
    await store.query<{ name: string }>(
      'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name',
    )
  ).map((row) => row.name);

/** Migrations alone. */
const apply = (migrations: readonly Migration[]) => migrate(store, migrations, []);

describe('migrate', () => {
  it('applies everything once, in order', async () => {
    const migrations = [step(1, [create('a'), create('b')]), step(2, [create('c')])];
    expect(await apply(migrations)).toEqual(['step-1', 'step-2']);
    expect(await apply(migrations)).toEqual([]);
    expect(await tablesOf()).toEqual(['a', 'b', 'c', 'migrations']);
  });

  it('applies only new migrations', async () => {
    await apply([step(1, [create('a')])]);
    expect(await apply([step(1, ['not sql']), step(2, [create('b')])])).toEqual(['step-2']);
  });

  it('removes a table of an earlier version', async () => {
    await store.command('CREATE TABLE candles (coin String) ENGINE = MergeTree ORDER BY coin');
    await migrate(store);
    expect(await tablesOf()).not.toContain('candles');
  });

  it('can be run by several nodes at once', async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => root.inDatabase(store.database)));
    await Promise.all(nodes.map((node) => migrate(node)));
    expect(await migrate(store)).toEqual([]);
  });

  it('restarts at a migration that failed', async () => {
    await expect(apply([step(1, [create('a'), 'CREATE TABLE IF NOT EXISTS'])])).rejects.toMatchObject({
      code: 'store_rejected',
    });
    expect(await apply([step(1, [create('a'), create('b')])])).toEqual(['step-1']);
  });

  it('refuses numbers that are out of order or repeated, before it applies anything', async () => {
    for (const numbers of [[2, 1], [1, 1], [1, 3], [0]]) {
      await expect(apply(numbers.map((number) => step(number)))).rejects.toMatchObject({
        code: 'store_misconfigured',
      });
    }
    expect(await tablesOf()).toEqual([]);
  });

  it('refuses another migration with an applied number', async () => {
    await apply([step(1)]);
    await expect(apply([{ ...step(1), name: 'other-1' }])).rejects.toMatchObject({
      code: 'store_misconfigured',
    });
  });

  it('does not change a store that a newer program has migrated', async () => {
    await apply([step(1), step(2)]);
    expect(await apply([step(1)])).toEqual([]);
  });

  it('creates the tables as specified: columns, sorting key and rows', async () => {
    expect(await migrate(store)).toEqual(MIGRATIONS.map((migration) => migration.name));
    for (const spec of TABLES) {
      const { value, meta } = sampleRecords[spec.name]!;
      const row = spec.row(value, meta);
      const columns = await store.query<{ name: string }>(
        `SELECT name FROM system.columns
         WHERE database = currentDatabase() AND table = {name:String} AND default_kind != 'MATERIALIZED'
         ORDER BY position`,
        { name: spec.name },
      );
      expect(new Set(columns.map((column) => column.name)), spec.name).toEqual(new Set(Object.keys(row)));
      const [table] = await store.query<{ sorting_key: string; engine_full: string }>(
        'SELECT sorting_key, engine_full FROM system.tables WHERE database = currentDatabase() AND name = {name:String}',
        { name: spec.name },
      );
      expect(table?.sorting_key).toBe(spec.orderBy.join(', '));
      const ttl = / TTL (.+?)(?: SETTINGS|$)/.exec(table!.engine_full)?.[1];
      expect(ttl, spec.name).toBe(spec.retentionDays && `storedAt + toIntervalDay(${spec.retentionDays})`);
      await store.insert(spec.name, [row]);
      const [stored] = await store.query<Record<string, unknown>>(`SELECT * FROM ${spec.name} FINAL`);
      expect(comparable(stored!)).toEqual(comparable(row));
    }
  });

  it('creates a trades table that finds a market by its index, and never by a replaced row', async () => {
    await migrate(store);
    const { meta } = sampleRecords.trades!;
    const insertTrade = (marketId: string | null, seq: number) =>
      store.insert('trades', [tradesTable.row({ ...sampleTrade, marketId }, { ...meta, seq })]);
    const found = (marketId: string) =>
      store.query<{ version: string }>('SELECT version FROM trades FINAL WHERE marketId = {marketId:String}', {
        marketId,
      });
    await insertTrade(null, 1);
    await insertTrade('first', 2);
    expect(await found('first')).toEqual([{ version: '2' }]);
    await insertTrade('second', 3);
    expect(await found('first')).toEqual([]);
    expect(await found('second')).toEqual([{ version: '3' }]);
    const plan = await store.query<{ explain: string }>(
      "EXPLAIN indexes = 1 SELECT version FROM trades FINAL WHERE marketId = 'second'",
    );
    expect(plan.map((line) => line.explain.trim())).toContain('Name: byMarket');
  });

  it('creates a trades table that finds the trades of a wallet without reading all', async () => {
    await migrate(store);
    const { meta } = sampleRecords.trades!;
    const rows = Array.from({ length: 4_096 }, (_, at) => {
      const trade = { ...sampleTrade, id: `t${at}`, arrival: at, maker: `0x${at}`, taker: at === 9 ? '0xtaker' : null };
      return tradesTable.row(trade, { ...meta, seq: at });
    });
    await store.insert('trades', rows);
    const wallets = { wallets: ['0x4000', '0xtaker'] };
    const select = `SELECT id FROM trades
      WHERE (maker IN {wallets:Array(String)} OR taker IN {wallets:Array(String)}) ORDER BY id`;
    expect(await store.query(select, wallets)).toEqual([{ id: 't4000' }, { id: 't9' }]);
    const plan = await store.query<{ explain: string }>(`EXPLAIN indexes = 1 ${select}`, wallets);
    const lines = plan.map((line) => line.explain.trim());
    // The two rows are in the first and the last of its granules.
    expect(lines.slice(lines.indexOf('Name: byWallet'))).toContain('Granules: 2/4');
  });

  const withRetention = TABLES.filter(({ retentionDays }) => retentionDays !== undefined);

  it.each(withRetention.map((spec) => [spec.name, spec] as const))(
    'removes rows of %s by when the store inserted them, whatever their event time',
    async (name, { retentionDays, row }) => {
      await migrate(store);
      const { value, meta } = sampleRecords[name]!;
      const columns = Object.keys(row(value, meta)).join(', ');
      const rowsStoredBefore = async (days: number) => {
        await store.command(`TRUNCATE TABLE ${name}`);
        await store.command(
          `INSERT INTO ${name} (${columns}, storedAt) SETTINGS insert_allow_materialized_columns = 1
           SELECT ${columns}, now() - INTERVAL ${days} DAY FROM sample`,
        );
        await store.command(`OPTIMIZE TABLE ${name} FINAL`);
        return (await store.query(`SELECT 1 FROM ${name}`)).length;
      };
      await store.insert(name, [row(value, meta)]);
      await store.command(`CREATE TABLE sample ENGINE = Memory AS SELECT ${columns} FROM ${name}`);
      expect(await rowsStoredBefore(retentionDays! - 1)).toBe(1);
      expect(await rowsStoredBefore(retentionDays! + 1)).toBe(0);
    },
  );

  it('changes an existing table to its new declaration with the suggested statements', async () => {
    const isKey = ({ name }: { name: string }) => tradesTable.orderBy.includes(name) || name === 'version';
    // The columns of another table instead of its own, but for the key, which no statement can change.
    const changed = {
      ...tradesTable,
      columns: [
        ...tradesTable.columns.filter(isKey),
        ...arbitrageSignalsTable.columns.filter((column) => !isKey(column)),
      ],
      indexes: [],
    };
    await store.command(createTable(tradesTable));
    const statements = migrationFor([declaredTable(tradesTable)], [changed]);
    // An index is dropped before the columns that it covers.
    for (const sql of statements) await store.command(sql);
    const found = await store.query<{ name: string; type: string }>(
      "SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'trades'",
    );
    expect(Object.fromEntries(found.map(({ name, type }) => [name, type]))).toEqual(declaredTable(changed).columns);
  });

  it('hides rows that a tombstone removed', async () => {
    await migrate(store);
    for (const spec of TABLES) {
      if (typeof spec.tombstone !== 'function') continue;
      const { value, meta } = sampleRecords[spec.name]!;
      await store.insert(spec.name, [spec.row(value, meta)]);
      await store.insert(spec.name, [spec.tombstone({ ...meta, seq: meta.seq + 1 })]);
      expect(await store.query(`SELECT 1 FROM ${spec.name} FINAL`), spec.name).toEqual([]);
    }
  });
});

/** Converts rows for comparison: 64-bit counts are returned as text, times in the format of the engine. */
function comparable(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const cell = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(cell);
    if (typeof value !== 'string') return value === null || typeof value === 'boolean' ? value : String(value);
    return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/.test(value)
      ? String(Date.parse(`${value.replace(' ', 'T')}Z`))
      : value;
  };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(value)]));
}
