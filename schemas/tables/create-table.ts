import type { TableSpec } from './table.ts';

/** The clauses of a CREATE TABLE behind its columns. */
export function tableClauses(table: TableSpec): string {
  const { orderBy, monthOf, retentionDays, settings, tombstone } = table;
  const versions = orderBy.includes('version') ? '' : tombstone === undefined ? '(version)' : '(version, removed)';
  return [
    `ENGINE = ReplacingMergeTree${versions}`,
    ...(monthOf ? [`PARTITION BY toYYYYMM(${monthOf})`] : []),
    orderBy.length === 1 ? `ORDER BY ${orderBy[0]}` : `ORDER BY (${orderBy.join(', ')})`,
    ...(retentionDays === undefined ? [] : [`TTL storedAt + INTERVAL ${retentionDays} DAY`]),
    ...(settings ? [`SETTINGS ${settings}`] : []),
  ].join('\n');
}

/** The statement that creates a table. */
export function createTable(table: TableSpec): string {
  const columns = table.columns.map(({ name, type, comment }) => `\`${name}\` ${type} COMMENT ${quoted(comment)}`);
  const stored =
    table.retentionDays === undefined
      ? []
      : ["storedAt DateTime('UTC') MATERIALIZED now() COMMENT 'Wall time at which the row was written here.'"];
  const parts = [...columns, ...stored, ...(table.indexes ?? [])];
  return `CREATE TABLE IF NOT EXISTS ${table.name} (\n  ${parts.join(',\n  ')}\n) ${tableClauses(table)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
