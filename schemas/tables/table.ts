import { type Column, columnsOf, versionOf } from './columns.ts';
import type { RecordMeta, TableDeclaration, TableRow } from './declaration.ts';

/** A table with what follows from its declaration. */
export interface TableSpec<T = unknown> extends Omit<TableDeclaration<T>, 'tombstone'> {
  /** In the order of the statement that creates the table; without `storedAt`, which the engine sets. */
  readonly columns: readonly Column<T>[];
  /**
   * Returns the row of a record, with every column. It is a function of the record and its position only (no wall clock),
   * so a replay gives the same rows. Throws `RowError` for a value that the column could not hold exactly.
   */
  row(value: T, meta: RecordMeta): TableRow;
  /** Like `TableDeclaration.tombstone`, with every column. */
  readonly tombstone?: 'ignored' | ((meta: RecordMeta) => TableRow);
}

/** Completes a declaration; infers the record type from the topics. */
export function defineTable<T>(declaration: TableDeclaration<T>): TableSpec<T> {
  const columns = columnsOf(declaration);
  const { tombstone, ...rest } = declaration;
  const spec = {
    ...rest,
    columns,
    row(value: T, meta: RecordMeta) {
      const row: Record<string, unknown> = {};
      for (const column of columns) row[column.name] = column.value(value, meta);
      return row;
    },
  };
  if (tombstone === undefined || tombstone === 'ignored') return { ...spec, ...(tombstone ? { tombstone } : {}) };
  return {
    ...spec,
    tombstone(meta) {
      const known: TableRow = { ...tombstone(meta), removed: 1, version: versionOf(declaration, meta) };
      return Object.fromEntries(columns.map(({ name, empty }) => [name, name in known ? known[name] : empty]));
    },
  };
}

const SEPARATOR = '\u0000';

/** The values that identify a row of a table, as one text. */
export function rowKey(spec: Pick<TableSpec, 'orderBy'>, row: TableRow): string {
  let key = '';
  for (const column of spec.orderBy) key += `${String(row[column])}${SEPARATOR}`;
  return key;
}
