import { migrationStatements } from '#schemas/tables/cluster-statements';
import { type CreatedTable, createTableStatements } from '#schemas/tables/create-table';
import { TABLES } from '#schemas/tables/index';
import { MIGRATIONS } from '#schemas/tables/migrations/index';
import { type Migration, migrationErrors } from '#schemas/tables/migrations/migration';
import type { TableSpec } from '#schemas/tables/table';
import { type Store, StoreError } from './store.ts';

/** The table of applied migrations. It is not a projection of topics: its times are wall times. */
const MIGRATIONS_TABLE: CreatedTable = {
  name: 'migrations',
  columns: [
    { name: 'number', type: 'UInt32', comment: 'Its place in the list of migrations' },
    { name: 'name', type: 'String', comment: 'Its name' },
    { name: 'appliedAt', type: "DateTime64(3, 'UTC')", comment: 'Wall time' },
  ],
  orderBy: ['number'],
  shardBy: ['number'],
};

/**
 * Creates the tables that the store does not have, as they are declared now, and applies the migrations that it does not
 * have, in order. Safe to run twice and on several nodes at once: every statement can be repeated, and a migration
 * changes nothing in a table that was created with its change. Refuses a list with a missing number, or a number below
 * an applied one, and tables that were created with another setting of the cluster (`store_misconfigured`).
 * @returns the names of the migrations applied now.
 */
export async function migrate(
  store: Store,
  migrations: readonly Migration[] = MIGRATIONS,
  tables: readonly TableSpec[] = TABLES,
): Promise<string[]> {
  const errors = migrationErrors(migrations);
  if (errors.length > 0) throw new StoreError('store_misconfigured', errors.join('; '));
  const created: readonly CreatedTable[] = [...tables, MIGRATIONS_TABLE];
  await refuseOtherLayout(store, created);
  for (const table of created)
    for (const statement of createTableStatements(table, store.cluster)) await store.command(statement);
  const rows = await store.query<{ number: number; name: string }>('SELECT number, name FROM migrations FINAL');
  const applied = new Map(rows.map(({ number, name }) => [number, name]));
  const newest = Math.max(0, ...applied.keys());
  const names: string[] = [];
  for (const migration of migrations) {
    const { number, name } = migration;
    const before = applied.get(number);
    if (before === name) continue;
    if (before !== undefined || number < newest)
      throw new StoreError(
        'store_misconfigured',
        `${name} cannot be applied: ${before ?? `number ${newest}`} was applied before, by another version; start with an empty database or another --data-dir`,
      );
    await apply(store, migration);
    names.push(name);
  }
  return names;
}

async function apply(store: Store, { number, name, sql }: Migration): Promise<void> {
  for (const change of sql)
    for (const statement of migrationStatements(change, store.cluster)) await store.command(statement);
  await store.insert('migrations', [{ number, name, appliedAt: Date.now() }]);
}

/** `CREATE TABLE IF NOT EXISTS` would leave a table that holds rows in the place of one that distributes them. */
async function refuseOtherLayout(store: Store, tables: readonly CreatedTable[]): Promise<void> {
  const found = await store.query<{ name: string; engine: string }>(
    'SELECT name, engine FROM system.tables WHERE database = currentDatabase()',
  );
  const other = found.find(
    ({ name, engine }) =>
      tables.some((table) => table.name === name) && (engine === 'Distributed') !== (store.cluster !== null),
  );
  if (other)
    throw new StoreError(
      'store_misconfigured',
      `the table ${other.name} was created ${store.cluster === null ? 'for a cluster' : 'without a cluster'}; set PARALLAX_STORE_CLUSTER as it was, or name another database in --store`,
    );
}
