import type { TableSpec } from './table.ts';

/** The clauses of a CREATE TABLE behind its columns. */
export function tableClauses(table: TableSpec): string {
  const versions = versionColumns(table);
  return clauses(table, `ReplacingMergeTree${versions.length > 0 ? `(${versions.join(', ')})` : ''}`);
}

/** The columns that order the versions of a row, as parameters of the engine. */
function versionColumns({ orderBy, tombstone }: TableSpec): string[] {
  if (orderBy.includes('version')) return [];
  return tombstone === undefined ? ['version'] : ['version', 'removed'];
}

function clauses({ orderBy, monthOf, retentionDays, settings }: TableSpec, engine: string): string {
  return [
    `ENGINE = ${engine}`,
    ...(monthOf ? [`PARTITION BY toYYYYMM(${monthOf})`] : []),
    orderBy.length === 1 ? `ORDER BY ${orderBy[0]}` : `ORDER BY (${orderBy.join(', ')})`,
    ...(retentionDays === undefined ? [] : [`TTL storedAt + INTERVAL ${retentionDays} DAY`]),
    ...(settings ? [`SETTINGS ${settings}`] : []),
  ].join('\n');
}

/** The statement that creates a table. */
export function createTable(table: TableSpec): string {
  return `CREATE TABLE IF NOT EXISTS ${table.name} (\n  ${definitions(table)}\n) ${tableClauses(table)}`;
}

/**
 * The statements that create a table on a cluster of ClickHouse: `<table>_local`, replicated within each shard, and
 * `<table>`, which distributes rows over the shards. The servers' macros are `{shard}` and `{replica}`.
 */
export function createClusterTable(table: TableSpec, cluster: string): string[] {
  const local = `${table.name}_local`;
  const path = `'/clickhouse/tables/{shard}/{database}/${local}'`;
  const engine = `ReplicatedReplacingMergeTree(${[path, "'{replica}'", ...versionColumns(table)].join(', ')})`;
  const shardKey = `cityHash64(${table.shardBy.join(', ')})`;
  return [
    `CREATE TABLE IF NOT EXISTS ${local} ON CLUSTER ${cluster} (\n  ${definitions(table)}\n) ${clauses(table, engine)}`,
    `CREATE TABLE IF NOT EXISTS ${table.name} ON CLUSTER ${cluster} AS ${local}\nENGINE = Distributed(${cluster}, currentDatabase(), ${local}, ${shardKey})`,
  ];
}

/** Columns and indexes. */
function definitions(table: TableSpec): string {
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
