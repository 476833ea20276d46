import { type Row, StoreError } from './store.ts';

export interface CompactRows {
  readonly columns: [string, ...string[]];
  readonly values: unknown[][];
}

/**
 * Rows as lists of values under one list of columns: the names are not repeated in every row, which makes an insert
 * about a third faster than one of objects. Rows must have the columns of the first one, no more and no less.
 */
export function compactRows(rows: readonly Row[]): CompactRows {
  const columns = Object.keys(rows[0] ?? {});
  const [first, ...rest] = columns;
  if (first === undefined) throw new StoreError('store_rejected', 'a row without columns');
  const values = rows.map((row, at) => {
    const list = new Array<unknown>(columns.length);
    let count = 0;
    for (const column in row) {
      if (row[column] === undefined) throw new StoreError('store_rejected', `row ${at} has no value for ${column}`);
      count += 1;
    }
    for (let index = 0; index < columns.length; index += 1) list[index] = row[columns[index]!];
    if (count !== columns.length || list.includes(undefined))
      throw new StoreError('store_rejected', `row ${at} has other columns than the first row: ${Object.keys(row)}`);
    return list;
  });
  return { columns: [first, ...rest], values };
}
