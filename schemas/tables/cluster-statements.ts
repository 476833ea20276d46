/**
 * The statements that differ between a single server and a cluster, besides those that create tables
 * (`create-table.ts`). On a cluster, `<table>` only distributes: rows, indexes and settings are those of
 * `<table>_local`, on every server. `cluster` is null for a single server.
 */
import { localName } from './create-table.ts';

/** Changes that a table which only distributes has too. It has neither indexes, projections, expiry nor settings. */
const COLUMN_CHANGE = /^(ADD|DROP|MODIFY|RENAME|COMMENT) COLUMN\b/;
const DROP_COLUMN = /^DROP COLUMN\b/;

export function createDatabase(database: string, cluster: string | null): string {
  return `CREATE DATABASE IF NOT EXISTS ${database}${on(cluster)}`;
}

/** On a cluster it waits until the rows are removed: only then can tables be created again under the same names. */
export function dropDatabase(database: string, cluster: string | null): string {
  return `DROP DATABASE IF EXISTS ${database}${cluster === null ? '' : `${on(cluster)} SYNC`}`;
}

export function truncateTable(table: string, cluster: string | null): string {
  return `TRUNCATE TABLE ${rowsOf(table, cluster)}`;
}

/** Merges a table completely, which applies its expiry. */
export function optimizeTable(table: string, cluster: string | null): string {
  return `OPTIMIZE TABLE ${rowsOf(table, cluster)} FINAL`;
}

/**
 * The statements that make the change of a statement of a migration. Throws if the change has no such statements on a
 * cluster: a new table is declared, so it exists before its migrations run.
 */
export function migrationStatements(statement: string, cluster: string | null): string[] {
  if (cluster === null) return [statement];
  const dropped = /^DROP TABLE IF EXISTS (\w+)$/.exec(statement);
  if (dropped)
    return [dropped[1]!, localName(dropped[1]!)].map((name) => `DROP TABLE IF EXISTS ${name}${on(cluster)} SYNC`);
  const [, table, change] = /^ALTER TABLE (\w+) (.+)$/s.exec(statement) ?? [];
  if (table === undefined || change === undefined)
    throw new Error(`a migration for a cluster is an ALTER TABLE or a DROP TABLE IF EXISTS, not: ${statement}`);
  const local = `ALTER TABLE ${rowsOf(table, cluster)} ${change}`;
  if (!COLUMN_CHANGE.test(change)) return [local];
  const distributed = `ALTER TABLE ${table}${on(cluster)} ${change}`;
  // The table that distributes never has a column that the rows lack.
  return DROP_COLUMN.test(change) ? [distributed, local] : [local, distributed];
}

function rowsOf(table: string, cluster: string | null): string {
  return cluster === null ? table : `${localName(table)}${on(cluster)}`;
}

function on(cluster: string | null): string {
  return cluster === null ? '' : ` ON CLUSTER ${cluster}`;
}
