import { type Row, StoreError } from './store.ts';

export interface CompactRows {
  readonly columns: [string, ...string[]];
  readonly values: unknown[][];
}

/**
 * Converts rows to lists of values under one list of columns: the names are not repeated in every row, which makes an
 * insert about a third faster than one of objects. All rows must have exactly the columns of the first one.
 */
export function compactRows(rows: readonly Row[]): CompactRows {
  const columns = Object.keys(rows[0] ?? {});
  const [first, ...rest] = columns;
  if (first === undefined) throw new StoreError('store_rejected', 'the first row has no columns');
  return { columns: [first, ...rest], values: rows.map((row, at) => valuesOf(row, at, columns)) };
}

function valuesOf(row: Row, at: number, columns: readonly string[]): unknown[] {
  const names = Object.keys(row);
  let inOrder = names.length === columns.length;
  for (let index = 0; inOrder && index < columns.length; index += 1) inOrder = names[index] === columns[index];
  const values = inOrder ? Object.values(row) : columns.map((column) => row[column]);
  if (names.length !== columns.length || values.includes(undefined))
    throw new StoreError('store_rejected', `row ${at} has other columns than the first row, or one without a value`);
  return values;
}
