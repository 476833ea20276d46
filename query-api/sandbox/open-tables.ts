import { createHash } from 'node:crypto';
import { migrate } from '#infra/store/migrate';
import type { Store } from '#infra/store/store';
import { TABLES } from '#schemas/tables/index';
import { MIGRATIONS } from '#schemas/tables/migrations/index';
import { type DataSetRecord, rowsOf } from './data-set.ts';

/** The data set is fixed, so its rows stay for good. */
const TABLES_WITHOUT_RETENTION = TABLES.map(({ retentionDays: _, ...table }) => table);
/** Length of the digest in the name of a database. */
const DIGEST_LENGTH = 12;

/**
 * Opens the tables of market data with the rows of the data set, in a separate database, and fills them if necessary.
 * The name of the database contains a digest of the rows: nodes with the same data set share it, and another data set
 * or schema gets another database. Several nodes may fill it at once, since duplicate rows count once. Rejects with a
 * `StoreError`.
 */
export async function openTables(
  store: Pick<Store, 'database' | 'inDatabase'>,
  records: readonly DataSetRecord[],
): Promise<Store> {
  const tables = [...rowsOf(records)].map(([{ name }, rows]) => ({ name, rows })).filter(({ rows }) => rows.length > 0);
  const digest = createHash('sha256').update(JSON.stringify(tables)).digest('hex').slice(0, DIGEST_LENGTH);
  const sandboxStore = await store.inDatabase(`${store.database}_sandbox_${digest}`);
  await migrate(sandboxStore, MIGRATIONS, TABLES_WITHOUT_RETENTION);
  const stored = await countRows(
    sandboxStore,
    tables.map(({ name }) => name),
  );
  for (const { name, rows } of tables) if (stored.get(name)! < rows.length) await sandboxStore.insert(name, rows);
  return sandboxStore;
}

/** The number of rows of each table, by one query: a call of the store waits for those of the live tables. */
async function countRows(store: Store, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const counts = names.map((name) => `SELECT '${name}' AS name, toFloat64(count()) AS rows FROM ${name} FINAL`);
  const rows = await store.query<{ name: string; rows: number }>(counts.join(' UNION ALL '));
  return new Map(rows.map(({ name, rows }) => [name, rows]));
}
