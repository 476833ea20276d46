/**
 * Tables as data. A table is declared on the topics that fill it: its columns, the row of a record and the statement
 * that creates it follow from their schema.
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

/** A column that is not a field of the record, or takes the place of one. */
export interface AddedColumn<T> {
  /** Type of the engine, such as `UInt64`. */
  readonly type: string;
  readonly comment: string;
  value(record: T, meta: RecordMeta): unknown;
}

export interface TableDeclaration<T> {
  readonly name: string;
  /** One sentence for the docs. */
  readonly description: string;
  /** `market`: data that all organizations share, and a fixed set of it the sandboxes. `organization`: data of one. */
  readonly holds: 'market' | 'organization';
  readonly fromTopics: readonly Topic<T>[];
  /**
   * Names of tables about whose rows a row of this one states something. It is stored after those that were in the log
   * when it was read, so that a query that reads this table first finds them. They precede it in `TABLES`.
   */
  readonly after?: readonly string[];
  /**
   * The sorting key of the table, which also identifies a row. With `version` in it, every record is a row; otherwise a
   * row replaces an older one that is equal in it: the greatest `version` counts, so queries use `FINAL`.
   */
  readonly orderBy: readonly string[];
  /**
   * Columns of the sorting key whose rows are on one shard of a cluster: what queries read together, and what replaces
   * each other.
   */
  readonly shardBy: readonly string[];
  /** The column by whose month the table is partitioned; left out for tables that stay small. */
  readonly monthOf?: string;
  /** Fields of the record, or of its lists (`links.evidence`), that are no columns. */
  readonly omit?: readonly string[];
  /** Text columns with few different values, besides those that the schema lists. */
  readonly lowCardinality?: readonly string[];
  /** Integer columns that can be negative. */
  readonly signed?: readonly string[];
  /** Other columns, by name. */
  readonly added?: Readonly<Record<string, AddedColumn<T>>>;
  /** What orders the versions of a row. Default: `seq`. `offset`: for topics with several writers, without numbers. */
  readonly version?: 'seq' | 'offset';
  /** Indexes and projections, as in a CREATE TABLE. */
  readonly indexes?: readonly string[];
  /** Settings of the engine, as in a CREATE TABLE. */
  readonly settings?: string;
  /**
   * How a tombstone is handled, for topics that have them. The function returns the known columns of a row with
   * `removed` 1, which hides the rows of the same key from `FINAL` queries; `ignored` leaves the row, for keys that are
   * removed because their record is final. Without this property a tombstone is a dead letter.
   */
  readonly tombstone?: 'ignored' | ((meta: RecordMeta) => TableRow);
  /**
   * Days after which the engine removes a row, counted from when the row was last written: from its column `storedAt`,
   * which no record sets. Times of the record do not count, since in a recording they may be years old. Left out: rows are
   * stored forever.
   */
  readonly retentionDays?: number;
}
