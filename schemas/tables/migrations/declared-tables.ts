/**
 * Detects changed declarations: `declared-tables.json` holds the tables as the newest migration leaves them. A
 * difference needs a migration, whose statements are suggested here.
 */
import { tableClauses } from '../create-table.ts';
import type { TableSpec } from '../table.ts';

/** What a declaration says of a table in the store, without descriptions. */
export interface DeclaredTable {
  readonly name: string;
  /** Types by column, in order. */
  readonly columns: Readonly<Record<string, string>>;
  /** Definitions of indexes and projections, by name. */
  readonly indexes: Readonly<Record<string, string>>;
  /** Engine, keys, expiry and settings. */
  readonly clauses: string;
}

export function declaredTable(table: TableSpec): DeclaredTable {
  const columns = Object.fromEntries(table.columns.map(({ name, type }) => [name, type]));
  const indexes = Object.fromEntries((table.indexes ?? []).map((index) => [index.split(' ')[1]!, index]));
  return { name: table.name, columns, indexes, clauses: tableClauses(table) };
}

/**
 * The statements of a migration from the tables `before` to those declared now; new tables need none. A change that no
 * statement can make is a comment that says so.
 */
export function migrationFor(before: readonly DeclaredTable[], tables: readonly TableSpec[]): string[] {
  const known = new Map(before.map((table) => [table.name, table]));
  const dropped = before.filter(({ name }) => !tables.some((table) => table.name === name));
  return [
    ...tables.flatMap((table) => {
      const old = known.get(table.name);
      return old ? changesOf(old, declaredTable(table)) : [];
    }),
    ...dropped.map(({ name }) => `DROP TABLE IF EXISTS ${name}`),
  ];
}

function changesOf(old: DeclaredTable, table: DeclaredTable): string[] {
  const alter = `ALTER TABLE ${table.name}`;
  const names = Object.keys(table.columns);
  const columns = names.flatMap((name, at) => {
    const type = table.columns[name]!;
    if (old.columns[name] === type) return [];
    if (old.columns[name]) return [`${alter} MODIFY COLUMN \`${name}\` ${type}`];
    const place = at === 0 ? 'FIRST' : `AFTER \`${names[at - 1]}\``;
    return [`${alter} ADD COLUMN IF NOT EXISTS \`${name}\` ${type} ${place}`];
  });
  const removed = Object.keys(old.columns).filter((name) => !(name in table.columns));
  const added = Object.entries(table.indexes).filter(([name, index]) => old.indexes[name] !== index);
  const gone = Object.entries(old.indexes).filter(([name, index]) => table.indexes[name] !== index);
  // An index is dropped before the columns that it covers, and added after them.
  return [
    ...gone.map(([name, index]) => `${alter} DROP ${index.split(' ')[0]} IF EXISTS ${name}`),
    ...columns,
    ...removed.map((name) => `${alter} DROP COLUMN IF EXISTS \`${name}\``),
    ...added.map(([, index]) => `${alter} ADD ${index.replace(/^(INDEX|PROJECTION) /, '$1 IF NOT EXISTS ')}`),
    ...(old.clauses === table.clauses
      ? []
      : [`-- ${table.name}: MODIFY TTL or MODIFY SETTING, or a new table if a key changed: ${table.clauses}`]),
  ];
}
