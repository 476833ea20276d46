import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TABLES } from '#schemas/tables/index';
import { migrate } from '../../../store/migrate.ts';
import { openStore } from '../../../store/open-store.ts';
import type { Store } from '../../../store/store.ts';
import { statements } from './ddl.ts';

describe('the printed statements', () => {
  let folder: string;
  let store: Store;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parallax-ddl-'));
    store = await openStore({ store: 'embedded', dataDir: folder });
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Definitions of the tables, as the engine has them. */
  const tablesOf = async (database: Store) => {
    const rows = await database.query<{ name: string; statement: string }>(
      'SELECT name, create_table_query AS statement FROM system.tables WHERE database = currentDatabase() ORDER BY name',
    );
    return rows
      .filter(({ name }) => TABLES.some((table) => table.name === name))
      .map(({ statement }) => statement.replaceAll(`${database.database}.`, ''));
  };

  it('make the tables that a start makes', async () => {
    const [printed, started] = (await Promise.all(
      ['printed', 'started'].map(async (name) => {
        await store.command(`CREATE DATABASE ${name}`);
        return store.inDatabase(name);
      }),
    )) as [Store, Store];
    for (const statement of statements(null)) await printed.command(statement);
    await migrate(started);
    const tables = await tablesOf(printed);
    expect(tables).toHaveLength(TABLES.length);
    expect(tables).toEqual(await tablesOf(started));
  });

  it('are two for each table of a cluster, which the engine parses', async () => {
    const printed = statements('c');
    expect(printed).toHaveLength(2 * TABLES.length);
    for (const statement of printed) {
      const [row] = await store.query<{ formatted: string }>('SELECT formatQuery({statement:String}) AS formatted', {
        statement,
      });
      expect(row!.formatted).toContain('ON CLUSTER c');
    }
  });

  it('shard a table by its declaration', () => {
    const trades = statements('c').filter((statement) => statement.includes(' trades'));
    expect(trades[0]).toContain(
      "ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/trades_local', '{replica}', version)",
    );
    expect(trades[1]).toContain('Distributed(c, currentDatabase(), trades_local, cityHash64(provider, instrument))');
  });
});
