/** The statements that create tables, on a single server and on a cluster. */
import type { TableSpec } from './table.ts';

/** A table to create: a declared one, or another one for a comparison or a check. */
export interface CreatedTable
  extends Pick<TableSpec, 'name' | 'orderBy' | 'shardBy' | 'monthOf' | 'indexes' | 'settings' | 'retentionDays'> {
  readonly columns: readonly Pick<TableSpec['columns'][number], 'name' | 'type' | 'comment'>[];
  /** Rows that are equal in the sorting key do not replace each other. */
  readonly keepsEveryRow?: boolean;
}

/** The name of the table that holds the rows of a table on a server of a cluster. */
export function localName(table: string): string {
  return `${table}_local`;
}

/** The statements that create a table, in the order in which they have to run; `cluster` is null for a single server. */
export function createTableStatements(table: CreatedTable, cluster: string | null): string[] {
  return cluster === null ? [createTable(table)] : createClusterTable(table, cluster);
}

/** The clauses of a CREATE TABLE behind its columns. */
export function tableClauses(table: CreatedTable): string {
  const parameters = versionColumns(table);
  return clauses(table, `${engineOf(table)}${parameters.length > 0 ? `(${parameters.join(', ')})` : ''}`);
}

function engineOf({ keepsEveryRow }: CreatedTable): string {
  return keepsEveryRow ? 'MergeTree' : 'ReplacingMergeTree';
}

/** The columns that order the versions of a row, as parameters of the engine. */
function versionColumns({ columns, orderBy, keepsEveryRow }: CreatedTable): string[] {
  if (keepsEveryRow || orderBy.includes('version')) return [];
  return ['version', 'removed'].filter((name) => columns.some((column) => column.name === name));
}

function clauses({ orderBy, monthOf, retentionDays, settings }: CreatedTable, engine: string): string {
  return [
    `ENGINE = ${engine}`,
    ...(monthOf ? [`PARTITION BY toYYYYMM(${monthOf})`] : []),
    orderBy.length === 1 ? `ORDER BY ${orderBy[0]}` : `ORDER BY (${orderBy.join(', ')})`,
    ...(retentionDays === undefined ? [] : [`TTL storedAt + INTERVAL ${retentionDays} DAY`]),
    ...(settings ? [`SETTINGS ${settings}`] : []),
  ].join('\n');
}

/** The statement that creates a table on a single server. */
export function createTable(table: CreatedTable): string {
  return `CREATE TABLE IF NOT EXISTS ${table.name} (\n  ${definitions(table)}\n) ${tableClauses(table)}`;
}

/**
 * The statements that create a table on a cluster of ClickHouse: `<table>_local`, replicated within each shard, and
 * `<table>`, which distributes rows over the shards. The servers' macros are `{shard}` and `{replica}`.
 */
function createClusterTable(table: CreatedTable, cluster: string): string[] {
  const local = localName(table.name);
  const path = `'/clickhouse/tables/{shard}/{database}/${local}'`;
  const engine = `Replicated${engineOf(table)}(${[path, "'{replica}'", ...versionColumns(table)].join(', ')})`;
  const shardKey = `cityHash64(${table.shardBy.join(', ')})`;
  return [
    `CREATE TABLE IF NOT EXISTS ${local} ON CLUSTER ${cluster} (\n  ${definitions(table)}\n) ${clauses(table, engine)}`,
    `CREATE TABLE IF NOT EXISTS ${table.name} ON CLUSTER ${cluster} AS ${local}\nENGINE = Distributed(${cluster}, currentDatabase(), ${local}, ${shardKey})`,
  ];
}

/** Columns and indexes. */
function definitions(table: CreatedTable): string {
  const columns = table.columns.map(({ name, type, comment }) => `\`${name}\` ${type} COMMENT ${quoted(comment)}`);
  const stored =
    table.retentionDays === undefined
      ? []
      : ["storedAt DateTime('UTC') MATERIALIZED now() COMMENT 'Wall time at which the row was written here.'"];
  return [...columns, ...stored, ...(table.indexes ?? [])].join(',\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
