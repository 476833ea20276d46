/** What differs between a single server and a cluster. The test server stands for a cluster of one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createDatabase,
  dropDatabase,
  migrationStatements,
  optimizeTable,
  truncateTable,
} from '#schemas/tables/cluster-statements';
import { createTableStatements } from '#schemas/tables/create-table';
import { TABLES } from '#schemas/tables/index';
import { MIGRATIONS } from '#schemas/tables/migrations/index';
import { sampleRecords } from '#schemas/tables/sample-records.fixture';
import {
  type ClickhouseHttpServer,
  startClickhouseHttpServer,
  TEST_CLUSTER,
} from '../testing/clickhouse-http-server.ts';
import { migrate } from './migrate.ts';
import { openStore } from './open-store.ts';
import type { Store } from './store.ts';

let folder: string;
let server: ClickhouseHttpServer;
const opened: Store[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-cluster-'));
  server = await startClickhouseHttpServer({ path: folder });
});
afterAll(async () => {
  for (const store of opened) await store.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});
async function open(database: string, storeCluster: string | null = TEST_CLUSTER): Promise<Store> {
  const store = await openStore({ store: `${server.url}/${database}`, storeCluster, dataDir: 'unused' });
  opened.push(store);
  return store;
}

describe('a store on a cluster', () => {
  it('has two tables for each declared one: one that is distributed, and one with the rows', async () => {
    const store = await open('tables');
    await migrate(store);
    const rows = await store.query<{ name: string; engine: string }>(
      'SELECT name, engine FROM system.tables WHERE database = currentDatabase()',
    );
    const engines = new Map(rows.map(({ name, engine }) => [name, engine]));
    expect(engines.size).toBe(2 * (TABLES.length + 1));
    for (const { name } of [...TABLES, { name: 'migrations' }]) {
      expect([engines.get(name), engines.get(`${name}_local`)]).toEqual(['Distributed', 'ReplacingMergeTree']);
    }
  });

  it('stores the rows of every table, replaces them, and clears them where they are', async () => {
    const store = await open('rows');
    await migrate(store);
    for (const spec of TABLES) {
      const { value, meta } = sampleRecords[spec.name]!;
      const count = async () => (await store.query(`SELECT 1 FROM ${spec.name} FINAL`)).length;
      for (let times = 0; times < 2; times += 1) await store.insert(spec.name, [spec.row(value, meta)]);
      expect(await count(), spec.name).toBe(1);
      await store.command(truncateTable(spec.name, store.cluster));
      expect(await count(), spec.name).toBe(0);
    }
  });

  it('gets the columns of a migration in both tables, and an index in the one with the rows', async () => {
    const store = await open('migrated');
    const sql = [
      'ALTER TABLE trades ADD COLUMN IF NOT EXISTS `extra` Array(String) AFTER `id`',
      'ALTER TABLE trades ADD INDEX IF NOT EXISTS byExtra extra TYPE set(0)',
      'ALTER TABLE trades MODIFY SETTING max_suspicious_broken_parts = 3',
      'ALTER TABLE trades DROP COLUMN IF EXISTS `taker`',
      'DROP TABLE IF EXISTS usage',
    ];
    const dropsWallet = 'ALTER TABLE trades DROP INDEX IF EXISTS byWallet';
    await migrate(store, [{ number: 1, name: '001-change-trades', sql: [dropsWallet, ...sql] }]);
    const columns = await store.query<{ table: string; name: string }>(
      "SELECT table, name FROM system.columns WHERE database = currentDatabase() AND name IN ('extra', 'taker') ORDER BY table",
    );
    expect(columns.filter(({ table }) => table.startsWith('trades'))).toEqual([
      { table: 'trades', name: 'extra' },
      { table: 'trades_local', name: 'extra' },
    ]);
    expect(
      await store.query("SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE 'usage%'"),
    ).toEqual([]);
    expect(await store.query('SELECT extra FROM trades FINAL')).toEqual([]);
  });

  it('is refused if its tables were created without a cluster, and the other way round', async () => {
    await migrate(await open('single', null));
    await migrate(await open('spread'));
    const misconfigured = (layout: string) => ({
      code: 'store_misconfigured',
      message: expect.stringMatching(`was created ${layout}; set PARALLAX_STORE_CLUSTER as it was`),
    });
    await expect(migrate(await open('single'))).rejects.toMatchObject(misconfigured('without a cluster'));
    await expect(migrate(await open('spread', null))).rejects.toMatchObject(misconfigured('for a cluster'));
  });

  it('cannot be in the process', async () => {
    await expect(openStore({ store: 'embedded', storeCluster: 'c', dataDir: folder })).rejects.toThrow(
      /^PARALLAX_STORE_CLUSTER does not fit --store embedded/,
    );
  });
});

describe('the statements for a cluster', () => {
  const statements = [
    ...TABLES.flatMap((table) => createTableStatements(table, 'c')),
    ...TABLES.flatMap((table) => createTableStatements({ ...table, keepsEveryRow: true }, 'c')),
    ...MIGRATIONS.flatMap(({ sql }) => sql.flatMap((statement) => migrationStatements(statement, 'c'))),
    createDatabase('d', 'c'),
    dropDatabase('d', 'c'),
    truncateTable('t', 'c'),
    optimizeTable('t', 'c'),
  ];

  it('run on the whole cluster, and the engine parses each', async () => {
    const store = await open('parsed');
    for (const statement of statements) {
      const parse = 'SELECT formatQuery({statement:String}) AS formatted';
      const [row] = await store.query<{ formatted: string }>(parse, { statement });
      expect(row!.formatted).toContain(' ON CLUSTER c');
    }
  });

  it('add a column first where the rows are, and drop it there last', () => {
    const add = 'ADD COLUMN IF NOT EXISTS `a` String';
    expect(migrationStatements(`ALTER TABLE t ${add}`, 'c')).toEqual([
      `ALTER TABLE t_local ON CLUSTER c ${add}`,
      `ALTER TABLE t ON CLUSTER c ${add}`,
    ]);
    expect(migrationStatements('ALTER TABLE t DROP COLUMN IF EXISTS `a`', 'c')).toEqual([
      'ALTER TABLE t ON CLUSTER c DROP COLUMN IF EXISTS `a`',
      'ALTER TABLE t_local ON CLUSTER c DROP COLUMN IF EXISTS `a`',
    ]);
  });

  it('refuse a migration that they cannot express', () => {
    expect(() => migrationStatements('CREATE TABLE IF NOT EXISTS t (id UInt8)', 'c')).toThrow(/ALTER TABLE or a DROP/);
  });

  it.each(TABLES.map((table) => [table.name, table] as const))(
    'have all versions of a row of %s on one shard',
    (_, { orderBy, shardBy }) => {
      expect(shardBy.length).toBeGreaterThan(0);
      expect(orderBy).toEqual(expect.arrayContaining([...shardBy]));
    },
  );
});
