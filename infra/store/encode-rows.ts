/** Encodes the rows of an insert in slices, so that a large insert does not block the event loop. */
import { nextTurn } from '../runtime/turn.ts';
import { type Row, StoreError } from './store.ts';

/** Rows encoded in one turn of the event loop: some milliseconds of work. */
export const ROWS_PER_SLICE = 256;

export interface EncodedRows {
  readonly columns: [string, ...string[]];
  /** Rows as lists of values, in the format `JSONCompactEachRow`; the newline after the last row of each is missing. */
  readonly slices: readonly string[];
}

/** The option of the client that sends encoded slices as they are; it adds the newline. */
export const SENDS_SLICES = {
  stringify: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
};

/**
 * Encodes rows as lists of values under one list of columns: the names are not repeated in every row, which makes an
 * insert about a third faster than one of objects. All rows must have exactly the columns of the first one.
 */
export async function encodeRows(rows: readonly Row[]): Promise<EncodedRows> {
  const columns = Object.keys(rows[0] ?? {});
  const [first, ...rest] = columns;
  if (first === undefined) throw new StoreError('store_rejected', 'the first row has no columns');
  const slices: string[] = [];
  for (let from = 0; from < rows.length; from += ROWS_PER_SLICE) {
    if (from > 0) await nextTurn();
    const lines = rows
      .slice(from, from + ROWS_PER_SLICE)
      .map((row, nth) => JSON.stringify(valuesOf(row, from + nth, columns)));
    slices.push(lines.join('\n'));
  }
  return { columns: [first, ...rest], slices };
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
