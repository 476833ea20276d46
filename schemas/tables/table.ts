/**
 * Tables as data: which topics fill a table and what row a record becomes. The statements that make the tables are in
 * `migrations/`; a test holds the two together.
 */
import type { Topic } from '../topics/topic.ts';

/** Where a record stood in the log. */
export interface RecordMeta {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** The writer's number of the record in its partition; becomes the `version` of the row. */
  readonly seq: number;
  readonly key: string;
  /** Event time, unix ms. */
  readonly receivedAt: number;
}

/** A row by column: decimals as canonical text, times as unix ms, nested columns as parallel arrays. */
export type TableRow = Readonly<Record<string, unknown>>;

/**
 * A table and how records become its rows. Rows are functions of the record and its place alone (no wall clock), so a
 * replay gives the same rows. A row replaces an older one that is equal in `orderBy`: the greatest `version` counts,
 * which is why reads say `FINAL`.
 */
export interface TableSpec<T = unknown> {
  readonly name: string;
  /** One sentence for the docs. */
  readonly description: string;
  /** The sorting key of the table, which is also what makes two rows the same row. */
  readonly orderBy: readonly string[];
  readonly fromTopics: readonly Topic<T>[];
  /** The row of a record. Throws `RowError` for a value that the column could not hold exactly. */
  row(value: T, meta: RecordMeta): TableRow;
  /**
   * What a tombstone does, for topics that have them. Its row carries `removed` 1 and hides the rows of the same key from
   * `FINAL` reads; `kept` leaves the row as it is, where a key is removed because its record is finished. Without it a
   * tombstone is a dead letter.
   */
  readonly tombstone?: 'kept' | ((meta: RecordMeta) => TableRow);
  /**
   * Days after which the engine removes a row, counted from when it last took it: by its own column `storedAt`, which is
   * no part of what a record becomes. Not by times of the record, which in a recording may be years old. Left out: rows
   * are kept for good.
   */
  readonly retentionDays?: number;
}

/** Identity, for the type inference of the record type from the topics. */
export function defineTable<T>(spec: TableSpec<T>): TableSpec<T> {
  return spec;
}

const SEPARATOR = '\u0000';

/** What makes two rows of a table the same row, as one text. */
export function rowKey(spec: Pick<TableSpec, 'orderBy'>, row: TableRow): string {
  let key = '';
  for (const column of spec.orderBy) key += `${String(row[column])}${SEPARATOR}`;
  return key;
}
