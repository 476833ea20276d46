/** The columns of a table, from the schema of its records. */
import type { AvroType, ColumnKind } from '../avro.ts';
import { countColumn, decimalColumn, integerColumn, productColumn, timeColumn } from './column-values.ts';
import type { RecordMeta, TableDeclaration } from './declaration.ts';

export interface Column<T = unknown> {
  readonly name: string;
  /** Type of the engine, such as `Nullable(UInt64)`. */
  readonly type: string;
  readonly comment: string;
  /** The value in the row of a tombstone, where nothing is known of the record. */
  readonly empty: unknown;
  /** The value in the row of a record. Throws `RowError` for one that the column could not hold exactly. */
  value(record: T, meta: RecordMeta): unknown;
}

/** How a kind of value is stored. */
interface Storage {
  readonly type: string;
  readonly empty: unknown;
  /** Checks a value; null if all values of the schema can be stored. */
  readonly check: ((value: never) => unknown) | null;
}

/** What a declaration states of a column. */
interface Traits {
  readonly isLowCardinality: boolean;
  readonly isSigned: boolean;
}

export function columnsOf<T>(declaration: TableDeclaration<T>): readonly Column<T>[] {
  const { fromTopics, added = {}, omit = [], lowCardinality = [], signed = [] } = declaration;
  const { column } = fromTopics[0]!.schema;
  if (column.kind !== 'record') throw new Error(`${declaration.name} is filled from a topic without records`);
  const storageOf = (name: string, kind: ColumnKind) =>
    storageFor(kind, { isLowCardinality: lowCardinality.includes(name), isSigned: signed.includes(name) });
  const fields = Object.entries(column.fields).flatMap(([field, type]) => {
    if (omit.includes(field)) return [];
    if (type.column.kind === 'list' && type.column.of.kind === 'record')
      return nestedColumns<T>(field, type.column.of.fields, storageOf);
    const { check, ...storage } = storageOf(field, type.column);
    const read = readerOf(field, check);
    return [{ name: field, comment: type.doc, ...storage, value: (record: T) => read(record as Fields) }];
  });
  const others = Object.entries(added).map(([name, { value, ...rest }]) => ({
    ...rest,
    name,
    empty: /^U?Int/.test(rest.type) ? 0 : '',
    value,
  }));
  return [
    ...others,
    ...fields.filter(({ name }) => !omit.includes(name) && !(name in added)),
    ...ownColumns(declaration),
  ];
}

type Fields = Readonly<Record<string, never>>;

function readerOf(field: string, check: Storage['check']): (record: Fields) => unknown {
  return check ? (record) => check(record[field]!) : (record) => record[field];
}

/** One column of lists for each field of a list's records, as `links.provider`. */
function nestedColumns<T>(
  list: string,
  fields: Readonly<Record<string, AvroType<unknown>>>,
  storageOf: (name: string, kind: ColumnKind) => Storage,
): Column<T>[] {
  return Object.entries(fields).map(([field, { column, doc }]) => {
    const name = `${list}.${field}`;
    const { type, check } = storageOf(name, column);
    const read = readerOf(field, check);
    const value = (record: T) => (record as Readonly<Record<string, readonly Fields[]>>)[list]!.map(read);
    return { name, type: `Array(${type})`, comment: doc, empty: [], value };
  });
}

/** Columns that no record has. */
function ownColumns<T>(declaration: TableDeclaration<T>): Column<T>[] {
  const removed = {
    name: 'removed',
    type: 'UInt8',
    comment: '1 after a tombstone: not seen by FINAL queries.',
    empty: 0,
    value: () => 0,
  };
  const version = {
    name: 'version',
    type: 'UInt64',
    comment: `${declaration.version === 'offset' ? 'Offset of the record' : 'Number of the record in its partition'}; the greatest counts.`,
    empty: 0,
    value: (_: T, meta: RecordMeta) => countColumn(versionOf(declaration, meta)),
  };
  return [...(declaration.tombstone === undefined ? [] : [removed]), version];
}

/** What orders the versions of the rows of a key. */
export function versionOf({ version = 'seq' }: Pick<TableDeclaration<never>, 'version'>, meta: RecordMeta): number {
  return meta[version];
}

function storageFor(kind: ColumnKind, traits: Traits): Storage {
  switch (kind.kind) {
    case 'text':
      return { type: traits.isLowCardinality ? 'LowCardinality(String)' : 'String', empty: '', check: null };
    case 'word':
      return { type: 'LowCardinality(String)', empty: '', check: null };
    case 'decimal':
      return { type: 'Decimal(38, 18)', empty: '0', check: decimalColumn };
    case 'product':
      return { type: 'Decimal(76, 36)', empty: '0', check: productColumn };
    case 'time':
      return { type: "DateTime64(3, 'UTC')", empty: 0, check: timeColumn };
    case 'integer':
      return traits.isSigned
        ? { type: 'Int64', empty: 0, check: integerColumn }
        : { type: 'UInt64', empty: 0, check: countColumn };
    case 'float':
      return { type: 'Float64', empty: 0, check: null };
    case 'flag':
      return { type: 'Bool', empty: false, check: null };
    case 'nullable':
      return nullable(storageFor(kind.of, traits));
    case 'list': {
      const { type, check } = storageFor(kind.of, traits);
      return { type: `Array(${type})`, empty: [], check: check && ((values: readonly never[]) => values.map(check)) };
    }
    case 'bytes':
    case 'record':
      throw new Error(`no column can hold ${kind.kind === 'bytes' ? 'bytes' : 'a record'}`);
  }
}

function nullable({ type, check }: Storage): Storage {
  const inner = /^LowCardinality\((.*)\)$/.exec(type)?.[1];
  return {
    type: inner ? `LowCardinality(Nullable(${inner}))` : `Nullable(${type})`,
    empty: null,
    check: check && ((value: never) => (value === null ? null : check(value))),
  };
}
