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

type ElementOf<L> = L extends readonly (infer E)[] ? E : never;

/** A list of records, which a table holds as parallel columns (`legs.provider`, `legs.marketId`, …). */
export interface NestedColumns<R> {
  /** The columns for a SELECT list. */
  readonly sql: string;
  /** The list in a row. */
  read(row: object): R[];
}

/** Selects a list of the table's records, with the fields that are columns. */
export function selectNested<T, const L extends string & keyof T>(
  table: TableSpec<T>,
  alias: string,
  list: L,
): NestedColumns<ElementOf<T[L]>> {
  const fields = table.columns
    .filter(({ name }) => name.startsWith(`${list}.`))
    .map(({ name, type }) => ({
      field: name.slice(list.length + 1),
      column: `${list}_${name.slice(list.length + 1)}`,
      name,
      type,
    }));
  if (fields.length === 0) throw new Error(`the table ${table.name} has no list ${list}`);
  return {
    sql: fields.map(({ column, name, type }) => `${elements(`${alias}.\`${name}\``, type)} AS ${column}`).join(', '),
    read(row) {
      const columns = row as Readonly<Record<string, readonly unknown[]>>;
      return columns[fields[0]!.column]!.map(
        (_, at) =>
          Object.fromEntries(fields.map(({ field, column }) => [field, columns[column]![at]])) as ElementOf<T[L]>,
      );
    },
  };
}

function elements(column: string, type: string): string {
  if (type.includes('DateTime64')) return `arrayMap(one -> ${unixMs('one')}, ${column})`;
  if (/U?Int64/.test(type)) return `arrayMap(one -> toFloat64(one), ${column})`;
  return column;
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
