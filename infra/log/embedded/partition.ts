import type { Database } from 'lmdb';
import type { LogRecord, TopicPartition } from '../log.ts';
import { offsetKey, readOffsetKey, unpackRecord } from './record-layout.ts';

/** Newest records kept in memory, so that readers at the end of a partition never touch the disk. */
const TAIL_RECORDS = 1_024;
const TAIL_BYTES = 4 * 1024 * 1024;

export type PartitionDb = Database<Buffer, Buffer>;

/** One partition as this process knows it. */
export class Partition implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  readonly db: PartitionDb;
  next: number;
  /** The writer's promise, in memory only: after a restart its writer promises anew. */
  watermark = Number.NEGATIVE_INFINITY;
  /** Told when there are new records or a new watermark. */
  readonly listeners = new Set<(partition: Partition) => void>();
  private tail: LogRecord[] = [];
  private tailBytes = 0;

  constructor(topic: string, partition: number, db: PartitionDb) {
    this.topic = topic;
    this.partition = partition;
    this.db = db;
    this.next = (this.lastRecord()?.offset ?? -1) + 1;
  }

  /** Offset of the first kept record, or the next one when there is none. */
  first(): number {
    for (const key of this.db.getKeys({ limit: 1 })) return readOffsetKey(key);
    return this.next;
  }

  lastRecord(): LogRecord | null {
    for (const { key, value } of this.db.getRange({ reverse: true, limit: 1 })) {
      return unpackRecord(this.topic, this.partition, readOffsetKey(key), value);
    }
    return null;
  }

  /** Keeps a record that was just appended in memory. */
  remember(record: LogRecord): void {
    this.next = record.offset + 1;
    this.tail.push(record);
    this.tailBytes += sizeOf(record);
    if (this.tail.length <= 2 * TAIL_RECORDS && this.tailBytes <= 2 * TAIL_BYTES) return;
    let drop = Math.max(0, this.tail.length - TAIL_RECORDS);
    let bytes = this.tail.slice(drop).reduce((sum, kept) => sum + sizeOf(kept), 0);
    while (bytes > TAIL_BYTES && drop < this.tail.length - 1) {
      bytes -= sizeOf(this.tail[drop]!);
      drop += 1;
    }
    this.tail = this.tail.slice(drop);
    this.tailBytes = bytes;
  }

  forget(): void {
    this.tail = [];
    this.tailBytes = 0;
  }

  /** At most `max` records from an offset on. */
  read(offset: number, max: number): LogRecord[] {
    const oldest = this.tail[0];
    if (oldest && offset >= oldest.offset) {
      // Offsets of the tail are consecutive: it holds what was appended since, in order.
      const from = offset - oldest.offset;
      return this.tail.slice(from, from + max);
    }
    const records: LogRecord[] = [];
    for (const { key, value } of this.db.getRange({ start: offsetKey(offset), limit: max })) {
      records.push(unpackRecord(this.topic, this.partition, readOffsetKey(key), value));
    }
    return records;
  }

  notify(): void {
    for (const listener of this.listeners) listener(this);
  }
}

function sizeOf(record: LogRecord): number {
  return (record.value?.length ?? 0) + record.key.length + 100;
}
