/** SELECT lists with the types of their rows, from the declarations of tables. */
import { unixMs } from '#infra/store/unix-ms';
import type { TableSpec } from '#schemas/tables/table';

declare const rowType: unique symbol;
/** A SELECT list with the type of its rows. */
export type ColumnList<R> = string & { readonly [rowType]?: R };
export type RowOf<C> = C extends { readonly [rowType]?: infer R } ? Exclude<R, undefined> : never;

/**
 * Selects columns that are fields of the table's records, with the values that the records have: times as unix ms,
 * whole numbers as numbers (the store would return them as text), decimals as exact text. A converted column hides the
 * column of the table, so that conditions name that one with its alias: `t.receivedAt`.
 *
 * @param alias the alias of the table in the statement.
 * @param names every field of the records if left out.
 */
export function selectColumns<T, const K extends string & keyof T = string & keyof T>(
  table: TableSpec<T>,
  alias: string,
  names?: readonly K[],
): ColumnList<Pick<T, K>> {
  return (names ?? fieldsOf(table)).map((name) => expressionOf(table, alias, name)).join(', ');
}

function expressionOf<T>({ name: table, columns }: TableSpec<T>, alias: string, name: string): string {
  const column = columns.find((one) => one.name === name);
  if (!column) throw new Error(`the table ${table} has no column ${name}`);
  if (/^(Nullable\()?DateTime64/.test(column.type)) return `${unixMs(`${alias}.${name}`)} AS ${name}`;
  // The sink accepts only whole numbers below 2^53, which a float holds exactly.
  if (/^(Nullable\()?U?Int64/.test(column.type)) return `toFloat64(${alias}.${name}) AS ${name}`;
  if (/Int64|DateTime64/.test(column.type)) throw new Error(`lists of ${column.type} are not selected yet`);
  return name;
}

function fieldsOf<T>({ fromTopics }: TableSpec<T>): readonly string[] {
  const { column } = fromTopics[0]!.schema;
  return column.kind === 'record' ? Object.keys(column.fields) : [];
}
