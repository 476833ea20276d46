/**
 * The event-log port. Two adapters implement it, `embedded/` on LMDB and `kafka/` on Apache Kafka. The conformance
 * suite (`conformance/`) defines the contract: do not rely on behaviour that it does not test.
 */
import type { Retention } from '#schemas/topics/topic';

/** One partition of a topic. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/**
 * A record as a writer appends it. Within a partition, writers must never decrease `receivedAt` and must increase
 * `seq`.
 */
export interface AppendRecord extends TopicPartition {
  readonly key: string;
  /** Null is a tombstone: on a compacted topic it removes the key. */
  readonly value: Buffer | null;
  /** Event time, unix ms; defines the merged order. */
  readonly receivedAt: number;
  /**
   * Numbers the records that its writer put into this partition, from 1: a reader drops numbers that it has seen, and a
   * writer resumes after the last one. 0 means unnumbered: a topic with several writers, such as dead letters, whose
   * records identify repeats by their keys.
   */
  readonly seq: number;
}

/** A record as stored in the log. */
export interface LogRecord extends AppendRecord {
  /** Position in the partition; increases, with gaps (compaction, Kafka's own records). */
  readonly offset: number;
  /** Wall time of the append, unix ms; retention goes by it. */
  readonly appendedAt: number;
  /** The decoded value, while readers of this process share it (`Codec.decodeRecord`). */
  decoded?: unknown;
}

/** A promise of a partition's writer: every record it appends from now on has `receivedAt >= watermark`. */
export interface Watermark extends TopicPartition {
  readonly watermark: number;
}

/** Result of one poll: records of a partition in offset order, and the watermark of each partition. */
export interface ReadBatch {
  readonly records: readonly LogRecord[];
  /** Newest known watermark of each partition that has one and whose records up to it are all delivered. */
  readonly watermarks: readonly Watermark[];
}

/** Reads given partitions from given offsets, independently of other readers; stores no position in the log. */
export interface LogReader {
  /**
   * Waits until there are records or watermarks, or `timeoutMs` has passed; then returns an empty batch. Returns at
   * most `maxRecords` records.
   */
  poll(maxRecords: number, timeoutMs: number): Promise<ReadBatch>;
  /**
   * Pauses or resumes a partition. While paused it returns no records and no watermark; for readers that merge
   * partitions and must not run ahead.
   */
  pause(at: TopicPartition, paused: boolean): void;
  /** From now on no poll waits, also not the current one: for a caller that finishes what it has read and then closes. */
  endWaits(): void;
  close(): Promise<void>;
}

/** One member of a consumer group: the members share the partitions, and committed offsets outlive them. */
export interface GroupConsumer {
  poll(maxRecords: number, timeoutMs: number): Promise<readonly LogRecord[]>;
  /** Partitions assigned to this member now. */
  assignment(): readonly TopicPartition[];
  /**
   * Commits the next offset to read of each partition. Rejects with `log_fenced` if the member no longer holds one of
   * them.
   */
  commit(offsets: readonly (TopicPartition & { readonly offset: number })[]): Promise<void>;
  close(): Promise<void>;
}

/** The exclusive right to write some topics, among all processes. */
export interface Lease {
  /**
   * Rejects with `log_fenced` once another process holds the lease, or this one was unreachable for so long that
   * another may; pending otherwise. Later appends to the topics are refused.
   */
  readonly lost: Promise<never>;
  /**
   * The highest watermark that a previous holder promised for the topics, as far as readers may still rely on it, or
   * -Infinity. The clock of this process may be behind that of the previous holder.
   */
  readonly promisedUntil: number;
  /** Releases the lease after pending appends are finished; nothing can be appended under it any more. */
  release(): Promise<void>;
}

export interface LeaseOptions {
  /** Called once if another process holds the lease and this one waits. */
  readonly onStandby?: () => void;
  /** Ends the wait: the call rejects with `log_locked`. */
  readonly signal?: AbortSignal;
}

/** What the log must know about a topic to store it. */
export interface TopicStorage {
  readonly name: string;
  readonly partitions: number;
  readonly retention: Retention;
}

/** How much of a topic the log stores. */
export interface TopicSize {
  readonly topic: string;
  /** On Kafka an upper bound: offsets without a record count too, as compaction leaves them. */
  readonly records: number;
  /** On the disk, on Kafka of all copies; null if the brokers do not return it to this client. */
  readonly bytes: number | null;
  /** Append time of the oldest record, unix ms; null if there is none. */
  readonly oldestAt: number | null;
}

/** Reason why a log call failed; some are transient (`canRetry`). */
export type LogErrorCode =
  /** Disk full: nothing of the batch was appended. Transient. */
  | 'log_full'
  /** The broker or the disk cannot be reached now. */
  | 'log_unavailable'
  /** Another process holds the data directory, or the lease. */
  | 'log_locked'
  /** The topic or partition does not exist. */
  | 'log_unknown_topic'
  /** A group member no longer holds the partition, or a writer the lease of the topic. */
  | 'log_fenced'
  /** A record is larger than the log accepts. */
  | 'log_too_large'
  /** The data was written in a format that this version does not read. */
  | 'log_other_format'
  /** The log was closed. */
  | 'log_closed';

export class LogError extends Error {
  override name = 'LogError';
  readonly code: LogErrorCode;
  readonly canRetry: boolean;
  constructor(code: LogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.canRetry = code === 'log_full' || code === 'log_unavailable';
  }
}

export interface EventLog {
  /** Creates the topics that do not exist. Rejects if an existing topic has another partition count. */
  createTopics(topics: readonly TopicStorage[]): Promise<void>;
  /**
   * Appends in the given order. When it resolves, every record survives a crash of the process (and on Kafka of a
   * broker's process, `acks=all`). Embedded: the whole batch or nothing. Rejects with a `LogError`; `log_too_large`
   * concerns records of this call alone, see `appendFitting`.
   */
  append(records: readonly AppendRecord[]): Promise<void>;
  /**
   * Promises watermarks. Cheap: embedded, they are in memory; on Kafka, they are written to a separate topic at
   * intervals.
   */
  advance(watermarks: readonly Watermark[]): void;
  /**
   * Resolves once this process is the only one that may write the topics, which must exist, under this name. By then
   * the log contains everything that the previous holder appended. Every writer of numbered records has a lease, so
   * that a second process waits as a standby. Embedded, it is acquired immediately: one process owns the data
   * directory. On Kafka, the holder is a member of a group, and the brokers fence an older one.
   */
  lease(name: string, topics: readonly string[], options?: LeaseOptions): Promise<Lease>;
  reader(from: readonly (TopicPartition & { readonly offset: number })[]): Promise<LogReader>;
  group(groupId: string, topics: readonly string[]): Promise<GroupConsumer>;
  /**
   * Returns what a group has committed for each partition, in their order: the next offset to read, or null if there is
   * none.
   */
  committed(groupId: string, at: readonly TopicPartition[]): Promise<readonly (number | null)[]>;
  /** First stored and next offset of a partition. */
  bounds(at: TopicPartition): Promise<{ first: number; next: number }>;
  /** The newest record that a writer appended, or null. */
  last(at: TopicPartition): Promise<LogRecord | null>;
  /** The first stored record of a writer at or after an offset, or null. */
  recordFrom(at: TopicPartition & { readonly offset: number }): Promise<LogRecord | null>;
  /** Offset of the first record appended at or after this wall time; the next offset if there is none. */
  offsetAt(at: TopicPartition, appendedAt: number): Promise<number>;
  /** The size of every topic. It reads much of what it counts: callers must not call it often. */
  sizes(): Promise<readonly TopicSize[]>;
  /** Deletes every record of the topic, for rebuilds. Embedded, its offsets start over; on Kafka, they continue. */
  clearTopic(topic: string): Promise<void>;
  /**
   * Applies retention and compaction as of this wall time; a broker does it by itself. Returns the number of removed
   * records. A signal ends the run early, within milliseconds: the next run removes the rest.
   */
  maintain(
    now: number,
    limits: { readonly rawMaxAgeMs: number; readonly rawMaxBytes: number },
    signal?: AbortSignal,
  ): Promise<number>;
  close(): Promise<void>;
}
