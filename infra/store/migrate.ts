import { createTable } from '#schemas/tables/create-table';
import { TABLES } from '#schemas/tables/index';
import { MIGRATIONS } from '#schemas/tables/migrations/index';
import { type Migration, migrationErrors } from '#schemas/tables/migrations/migration';
import type { TableSpec } from '#schemas/tables/table';
import { type Store, StoreError } from './store.ts';

/** The table of applied migrations. It is not a projection of topics: its times are wall times. */
const CREATE_MIGRATIONS = `CREATE TABLE IF NOT EXISTS migrations (
  number UInt32,
  name String,
  appliedAt DateTime64(3, 'UTC') COMMENT 'Wall time'
) ENGINE = ReplacingMergeTree ORDER BY number`;

/**
 * Creates the tables that the store does not have, as they are declared now, and applies the migrations that it does not
 * have, in order. Safe to run twice and on several nodes at once: every statement can be repeated, and a migration
 * changes nothing in a table that was created with its change. Refuses a list with a missing number, or a number below
 * an applied one (`store_misconfigured`).
 * @returns the names of the migrations applied now.
 */
export async function migrate(
  store: Store,
  migrations: readonly Migration[] = MIGRATIONS,
  tables: readonly TableSpec[] = TABLES,
): Promise<string[]> {
  const errors = migrationErrors(migrations);
  if (errors.length > 0) throw new StoreError('store_misconfigured', errors.join('; '));
  for (const table of tables) await store.command(createTable(table));
  await store.command(CREATE_MIGRATIONS);
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
  for (const statement of sql) await store.command(statement);
  await store.insert('migrations', [{ number, name, appliedAt: Date.now() }]);
}
