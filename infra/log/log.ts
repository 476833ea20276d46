/**
 * The event-log port. Two adapters implement it, `embedded/` on LMDB and `kafka/` on Apache Kafka, and one conformance
 * suite (`conformance/`) says what may be relied on: a behaviour that the suite does not show may not be.
 */
import type { Retention } from '#schemas/topics/topic';

/** One partition of a topic. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** A record as a writer hands it over. Writers keep `receivedAt` from decreasing and `seq` rising within a partition. */
export interface AppendRecord extends TopicPartition {
  readonly key: string;
  /** Null is a tombstone: on a compacted topic it removes the key. */
  readonly value: Buffer | null;
  /** Event time, unix ms: what the merged order goes by. */
  readonly receivedAt: number;
  /**
   * Counts what its writer put into this partition, from 1: a reader drops what it has seen, a writer resumes from it.
   * 0 is unnumbered: a topic with several writers, as dead letters, whose records tell repeats by themselves.
   */
  readonly seq: number;
}

/** A record as it stands in the log. */
export interface LogRecord extends AppendRecord {
  /** Position in the partition; rises, may have holes (compaction, Kafka's own records). */
  readonly offset: number;
  /** Wall time of the append, unix ms: what retention goes by. */
  readonly appendedAt: number;
  /** The decoded value, while readers of this process share it (`Codec.decodeRecord`). */
  decoded?: unknown;
}

/** A promise of a partition's writer: every record it appends from now on has `receivedAt >= watermark`. */
export interface Watermark extends TopicPartition {
  readonly watermark: number;
}

/** What one poll brought: records of a partition in offset order, then how far each partition is promised. */
export interface ReadBatch {
  readonly records: readonly LogRecord[];
  /** Newest known watermark of each partition that has one and whose records up to it are all delivered. */
  readonly watermarks: readonly Watermark[];
}

/** Reads given partitions from given offsets, alone; keeps no position in the log. */
export interface LogReader {
  /** Waits until there is something new or `timeoutMs` has passed; then an empty batch. At most `maxRecords` records. */
  poll(maxRecords: number, timeoutMs: number): Promise<ReadBatch>;
  /** A paused partition gives no records and no watermark until it is resumed; for readers that merge and must not run ahead. */
  pause(at: TopicPartition, paused: boolean): void;
  close(): Promise<void>;
}

/** One member of a consumer group: the members share the partitions, and committed offsets outlive them. */
export interface GroupConsumer {
  poll(maxRecords: number, timeoutMs: number): Promise<readonly LogRecord[]>;
  /** Partitions this member holds now. */
  assignment(): readonly TopicPartition[];
  /** The next offset to read of each partition. Rejects with `log_fenced` when the member no longer holds one of them. */
  commit(offsets: readonly (TopicPartition & { readonly offset: number })[]): Promise<void>;
  close(): Promise<void>;
}

/** The right to be the only writer of some topics, among all processes. */
export interface Lease {
  /**
   * Rejects with `log_fenced` once another process has it, or this one was away for so long that another may; pending
   * otherwise. Nothing that is appended to the topics after that is taken.
   */
  readonly lost: Promise<never>;
  /**
   * The highest watermark that a holder before promised of the topics, as far as readers may still go by it, or -Infinity.
   * The clock of this process may be behind that of the one before.
   */
  readonly promisedUntil: number;
  /** Gives it up, once what was appended is taken; nothing can be appended under it any more. */
  release(): Promise<void>;
}

export interface LeaseOptions {
  /** Told once when another process has it, and this one waits. */
  readonly onStandby?: () => void;
  /** Ends the wait: the lease rejects with `log_locked`. */
  readonly signal?: AbortSignal;
}

/** What the log has to know of a topic to keep it. */
export interface TopicStorage {
  readonly name: string;
  readonly partitions: number;
  readonly retention: Retention;
}

/** Why a log call failed, and whether trying again can help. */
export type LogErrorCode =
  /** No room: nothing of the batch was taken. Goes away when there is room. */
  | 'log_full'
  /** The broker or the disk cannot be reached now. */
  | 'log_unavailable'
  /** Another process holds the data directory, or the lease. */
  | 'log_locked'
  /** The topic or partition does not exist. */
  | 'log_unknown_topic'
  /** A group member no longer holds the partition, or a writer the lease of the topic. */
  | 'log_fenced'
  /** A record is larger than the log takes. */
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
  /** Makes the topics that do not exist; refuses another partition count than an existing one has. */
  createTopics(topics: readonly TopicStorage[]): Promise<void>;
  /**
   * Appends in the given order. When it resolves, every record survives the death of the process (and on Kafka of a
   * broker's process, `acks=all`). Embedded: the whole batch or nothing. Rejects with a `LogError`; `log_too_large`
   * concerns records of this call alone, see `appendFitting`.
   */
  append(records: readonly AppendRecord[]): Promise<void>;
  /** Promises watermarks. Cheap; embedded they live in memory, on Kafka they go into a topic of their own at intervals. */
  advance(watermarks: readonly Watermark[]): void;
  /**
   * Resolves once this process is the only one that may write the topics, which must exist, under this name; everything
   * that another one appended stands in the log by then. Every writer of numbered records has one, so that a second
   * process waits as a standby. Embedded it is had at once: one process owns the data directory. On Kafka the holder is
   * a group's member, and an older one is fenced by the brokers.
   */
  lease(name: string, topics: readonly string[], options?: LeaseOptions): Promise<Lease>;
  reader(from: readonly (TopicPartition & { readonly offset: number })[]): Promise<LogReader>;
  group(groupId: string, topics: readonly string[]): Promise<GroupConsumer>;
  /** What a group has committed for each partition, in their order: the next offset to read, or null for none yet. */
  committed(groupId: string, at: readonly TopicPartition[]): Promise<readonly (number | null)[]>;
  /** First kept and next offset of a partition. */
  bounds(at: TopicPartition): Promise<{ first: number; next: number }>;
  /** The newest record that a writer put there, or null. */
  last(at: TopicPartition): Promise<LogRecord | null>;
  /** Offset of the first record appended at or after this wall time; the next offset when there is none. */
  offsetAt(at: TopicPartition, appendedAt: number): Promise<number>;
  /** Drops every record of the topic. Embedded its offsets start over, on Kafka they go on. For rebuilds. */
  clearTopic(topic: string): Promise<void>;
  /**
   * Applies retention and compaction as of this wall time; a broker does it by itself. Returns records removed. A signal
   * ends the run early, within milliseconds: what is left goes in the next one.
   */
  maintain(
    now: number,
    limits: { readonly rawMaxAgeMs: number; readonly rawMaxBytes: number },
    signal?: AbortSignal,
  ): Promise<number>;
  close(): Promise<void>;
}
