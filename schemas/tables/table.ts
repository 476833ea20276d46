/**
 * Tables as data: which topics fill a table and which row a record becomes. The statements that create the tables are in
 * `migrations/`; a test checks that both agree.
 */
import type { Topic } from '../topics/topic.ts';

/** The position and the metadata of a record in the log. */
export interface RecordMeta {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** `seq` of the record in its partition; becomes the `version` of the row. */
  readonly seq: number;
  readonly key: string;
  /** Event time, unix ms. */
  readonly receivedAt: number;
}

/** A row by column: decimals as canonical text, times as unix ms, nested columns as parallel arrays. */
export type TableRow = Readonly<Record<string, unknown>>;

/**
 * A table and how records become its rows. Rows are functions of the record and its position only (no wall clock), so a
 * replay gives the same rows. A row replaces an older one that is equal in `orderBy`: the greatest `version` counts, so
 * queries use `FINAL`.
 */
export interface TableSpec<T = unknown> {
  readonly name: string;
  /** One sentence for the docs. */
  readonly description: string;
  /** The sorting key of the table, which also identifies a row. */
  readonly orderBy: readonly string[];
  readonly fromTopics: readonly Topic<T>[];
  /** Returns the row of a record. Throws `RowError` for a value that the column could not hold exactly. */
  row(value: T, meta: RecordMeta): TableRow;
  /**
   * How a tombstone is handled, for topics that have them. The function returns a row with `removed` 1, which hides the
   * rows of the same key from `FINAL` queries; `ignored` leaves the row, for keys that are removed because their record is
   * final. Without this property a tombstone is a dead letter.
   */
  readonly tombstone?: 'ignored' | ((meta: RecordMeta) => TableRow);
  /**
   * Days after which the engine removes a row, counted from when the row was last written: from its column `storedAt`,
   * which no record sets. Times of the record do not count, since in a recording they may be years old. Left out: rows are
   * stored forever.
   */
  readonly retentionDays?: number;
}

/** Returns the table itself; infers the record type from the topics. */
export function defineTable<T>(spec: TableSpec<T>): TableSpec<T> {
  return spec;
}

const SEPARATOR = '\u0000';

/** The values that identify a row of a table, as one text. */
export function rowKey(spec: Pick<TableSpec, 'orderBy'>, row: TableRow): string {
  let key = '';
  for (const column of spec.orderBy) key += `${String(row[column])}${SEPARATOR}`;
  return key;
}
