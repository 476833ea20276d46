import { LogError, type LogRecord, type TopicPartition } from '../log.ts';
import { partitionName } from '../partition-name.ts';
import type { LogEnvironment, PartitionDb } from './environment.ts';
import { appendedAtOf, unpackRecord } from './record-layout.ts';

const NEWEST = { start: Number.MAX_SAFE_INTEGER, end: 0, inclusiveEnd: true, reverse: true, limit: 1 } as const;

/** What a reader keeps of a partition; told of news without a look at the disk. */
export interface PartitionListener {
  /** There are new records. */
  onRecords(): void;
  /** There is a new watermark. */
  onWatermark(): void;
  /** The partition was emptied; its offsets start over. */
  onClear(): void;
}

/** One partition as this process knows it. */
export class Partition implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  readonly name: string;
  readonly db: PartitionDb;
  /** Offset of the next record. */
  next = 0;
  /** The writer's promise, in memory only: after a restart its writer promises anew. */
  watermark = Number.NEGATIVE_INFINITY;
  /** What `next` was when the watermark was promised: a reader that has come so far may be told. */
  watermarkOffset = 0;
  readonly listeners = new Set<PartitionListener>();
  /** Newest records in memory, with consecutive offsets up to the last; see `RecentRecords`. */
  recent: LogRecord[] = [];
  /** Index in `recent` of the oldest record that is still kept. */
  recentHead = 0;
  /** Changes when `recent` is dropped. */
  recentEpoch = 0;

  constructor(topic: string, partition: number, db: PartitionDb) {
    this.topic = topic;
    this.partition = partition;
    this.name = partitionName(this);
    this.db = db;
    this.next = (this.lastRecord()?.offset ?? -1) + 1;
  }

  /** Offset of the first kept record, or the next one when there is none. */
  first(): number {
    for (const offset of this.db.getKeys({ start: 0, limit: 1 })) return offset;
    return this.next;
  }

  lastRecord(): LogRecord | null {
    const newest = this.recent[this.recent.length - 1];
    if (newest) return newest;
    for (const { key, value } of this.db.getRange(NEWEST)) return unpackRecord(this.topic, this.partition, key, value);
    return null;
  }

  /** Records from an offset on, at most so many and, but for the first, at most so many bytes of values. */
  read(offset: number, maxRecords: number, maxBytes: number): LogRecord[] {
    const oldest = this.recent[this.recentHead];
    const kept = oldest !== undefined && offset >= oldest.offset;
    const found = kept ? this.readRecent(this.recentHead + offset - oldest.offset, maxRecords) : null;
    const records: LogRecord[] = [];
    let bytes = 0;
    for (const record of found ?? this.readStored(offset, maxRecords)) {
      bytes += record.value?.length ?? 0;
      if (bytes > maxBytes && records.length > 0) break;
      records.push(record);
    }
    return records;
  }

  /** Offset of the first record appended at or after this wall time; the next offset when there is none. */
  offsetAt(appendedAt: number): number {
    // Append times never decrease within a partition, so a binary search over offsets finds the first.
    let low = this.first();
    let high = this.next;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const entry = this.firstFrom(middle);
      if (entry && entry.offset < high && entry.appendedAt < appendedAt) low = entry.offset + 1;
      else high = middle;
    }
    return this.firstFrom(low)?.offset ?? this.next;
  }

  /** Drops what is kept in memory, after records were removed from the disk. */
  forgetRecent(): void {
    this.recent = [];
    this.recentHead = 0;
    this.recentEpoch += 1;
  }

  private firstFrom(offset: number): { readonly offset: number; readonly appendedAt: number } | null {
    for (const { key, value } of this.db.getRange({ start: offset, limit: 1 }))
      return { offset: key, appendedAt: appendedAtOf(value) };
    return null;
  }

  private readRecent(from: number, max: number): LogRecord[] {
    return this.recent.slice(from, from + max);
  }

  private *readStored(offset: number, limit: number): Generator<LogRecord> {
    for (const { key, value } of this.db.getRange({ start: offset, limit }))
      yield unpackRecord(this.topic, this.partition, key, value);
  }
}

/** Opens the partitions of a topic, which are made when they may be. */
export function openPartitions(environment: LogEnvironment, topic: string, count: number): Partition[] {
  return Array.from({ length: count }, (_, partition) => {
    const db = environment.partition(partitionName({ topic, partition }));
    if (!db) throw new LogError('log_unknown_topic', `partition ${partition} of ${topic} is not in the log yet`);
    return new Partition(topic, partition, db);
  });
}
