import { LogError, type LogRecord, type TopicPartition } from '../log.ts';
import { partitionName } from '../partition-name.ts';
import { bodyOf } from './block-compression.ts';
import { decodeBody, lastOf, type Position, readHeader } from './block-layout.ts';
import type { BlockTree, StoredBlock } from './block-tree.ts';
import type { LogEnvironment } from './environment.ts';
import { OpenRun } from './open-run.ts';

interface DecodedBlock {
  readonly value: Buffer;
  readonly records: readonly LogRecord[];
}

/** Blocks with at most this many records are decoded on each read. */
const SMALL_RECORDS = 16;

/** Callbacks of a reader of a partition, called without a look at the disk. */
export interface PartitionListener {
  /** Called for new records. */
  onRecords(): void;
  /** Called for a new watermark. */
  onWatermark(): void;
  /** Called when the partition was emptied; its offsets start over. */
  onClear(): void;
}

/** The state of one partition in this process. */
export class Partition implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  readonly name: string;
  readonly tree: BlockTree;
  /** Offset of the next record. */
  next = 0;
  /** The writer's promise, in memory only: after a restart its writer promises again. */
  watermark = Number.NEGATIVE_INFINITY;
  /** Value of `next` when the watermark was promised: a reader that has come this far may receive it. */
  watermarkOffset = 0;
  readonly listeners = new Set<PartitionListener>();
  /** Newest records in memory, with consecutive offsets up to the last; see `RecentRecords`. */
  recent: LogRecord[] = [];
  /** Index in `recent` of the oldest record that is still valid. */
  recentHead = 0;
  /** Changes when `recent` is dropped. */
  recentVersion = 0;
  /** The end of the partition that is not a full block yet. */
  run = new OpenRun();
  /** True if the run was started with the last block of the tree. */
  private hasBegun = false;
  /**
   * The block that was read last, if it is large and some of its records may still be read. The garbage collector may
   * drop it: a reader that stops within a block would otherwise hold it in memory for good.
   */
  private decoded: WeakRef<DecodedBlock> | null = null;

  constructor(topic: string, partition: number, tree: BlockTree) {
    this.topic = topic;
    this.partition = partition;
    this.name = partitionName(this);
    this.tree = tree;
    this.next = this.end();
  }

  /** Offset of the first stored record, or the next offset if there is none. */
  first(): number {
    return this.tree.firstKey() ?? this.run.blocks[0]?.key ?? this.next;
  }

  /** Offset after the last record, according to the disk. */
  end(): number {
    return Math.max((this.run.last?.offset ?? -1) + 1, this.endInTree());
  }

  /** Append time of the last record; 0 if there is none. */
  lastAppendedAt(): number {
    return this.run.last?.appendedAt ?? this.lastInTree()?.appendedAt ?? 0;
  }

  lastRecord(): LogRecord | null {
    const recent = this.recent[this.recent.length - 1];
    if (recent) return recent;
    const newest = this.run.blocks[this.run.blocks.length - 1] ?? this.blockAt(Number.MAX_SAFE_INTEGER);
    return newest ? this.recordsOf(newest).at(-1)! : null;
  }

  /** The run, for the process that appends. */
  writableRun(): OpenRun {
    if (!this.hasBegun) {
      this.hasBegun = true;
      const newest = this.blockAt(Number.MAX_SAFE_INTEGER);
      if (newest) this.run.begin(newest.key, newest.value);
    }
    return this.run;
  }

  /**
   * Adds a part of a journal entry to the run; returns false if it is already in the tree.
   * @param inTree the offset behind the last record of the tree.
   * @param writes true in a process that appends.
   */
  restore(block: Buffer, number: number, inTree: number, writes: boolean): boolean {
    const header = readHeader(block);
    if (header.last.offset < inTree) return false;
    const run = writes ? this.writableRun() : this.run;
    run.add({ key: header.first, header, value: block, number });
    this.next = header.last.offset + 1;
    return true;
  }

  /** Reads records from an offset on, up to a count and, except for the first, up to a number of bytes of values. */
  read(offset: number, maxRecords: number, maxBytes: number): LogRecord[] {
    const oldest = this.recent[this.recentHead];
    const isInMemory = oldest !== undefined && offset >= oldest.offset;
    if (!isInMemory) return this.readStored(offset, maxRecords, maxBytes);
    const read: RecordBatch = { records: [], bytes: 0 };
    addRecords(read, this.recent, this.recentHead + offset - oldest.offset, maxRecords, maxBytes);
    return read.records;
  }

  /** Returns the offset of the first record appended at or after this wall time; the next offset if there is none. */
  offsetAt(appendedAt: number): number {
    // Append times never decrease within a partition, so a binary search over offsets finds the block of the first.
    let low = this.first();
    let high = this.next;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const block = this.blockAt(middle);
      const last = block && lastOf(block.value);
      if (block && last && last.appendedAt >= appendedAt) high = Math.min(block.key, middle);
      else low = Math.max(last?.offset ?? middle, middle) + 1;
    }
    for (const block of [...this.blocksFrom(low, 1), ...this.run.blocks]) {
      const found = this.recordsOf(block).find((record) => record.appendedAt >= appendedAt);
      if (found) return found.offset;
    }
    return this.next;
  }

  /** Blocks of the tree with keys from an offset on. */
  blocksFrom(offset: number, limit = Number.POSITIVE_INFINITY): Iterable<StoredBlock> {
    return this.tree.from(offset, limit);
  }

  /** Blocks of the tree backwards, from the one that may hold this offset on. */
  blocksBackwards(offset: number): Iterable<StoredBlock> {
    return this.tree.backwards(offset);
  }

  /** The block of the tree that holds this offset if any does: the last one that begins at or before it. */
  blockAt(offset: number): StoredBlock | null {
    return this.tree.at(offset);
  }

  /** The records of a block. */
  recordsOf({ value }: StoredBlock): readonly LogRecord[] {
    // Comparing the stored bytes also detects changes by another process.
    const decoded = this.decoded?.deref();
    if (decoded?.value.equals(value)) return decoded.records;
    const header = readHeader(value);
    const records = decodeBody(this.topic, this.partition, header, bodyOf(header, value));
    if (header.count > SMALL_RECORDS) this.decoded = new WeakRef({ value, records });
    return records;
  }

  /** Drops the records in memory, after records were removed from the disk. */
  forgetRecent(): void {
    this.recent = [];
    this.recentHead = 0;
    this.recentVersion += 1;
    this.decoded = null;
  }

  /** Drops the run, which is read from the tree again when needed. The journal must hold none of its records alone. */
  forgetRun(): void {
    this.run = new OpenRun();
    this.hasBegun = false;
  }

  /** Drops parts of the run that are also in the tree. */
  dropStored(): void {
    if (this.run.last) this.run.dropBelow(this.endInTree());
  }

  /** Offset behind the last record of the tree. */
  endInTree(): number {
    return (this.lastInTree()?.offset ?? -1) + 1;
  }

  private lastInTree(): Position | null {
    const newest = this.blockAt(Number.MAX_SAFE_INTEGER);
    return newest && lastOf(newest.value);
  }

  private readStored(offset: number, maxRecords: number, maxBytes: number): LogRecord[] {
    const read: RecordBatch = { records: [], bytes: 0 };
    let next = offset;
    for (const block of this.allBlocksFrom(offset)) {
      const records = this.recordsOf(block);
      if (!addRecords(read, records, indexOf(records, next), maxRecords, maxBytes)) break;
      next = Math.max(next, (records.at(-1)?.offset ?? -1) + 1);
      // Read to its end: only blocks that are being read stay in memory.
      this.decoded = null;
      if (read.records.length === maxRecords) break;
    }
    return read.records;
  }

  /**
   * Yields blocks of the tree and then of the run that may hold records from an offset on; the run may repeat blocks of
   * the tree.
   */
  private *allBlocksFrom(offset: number): Generator<StoredBlock> {
    const floor = this.blockAt(offset);
    yield* this.blocksFrom(floor?.key ?? offset);
    for (const block of this.run.blocks) if (block.header.last.offset >= offset) yield block;
  }
}

interface RecordBatch {
  readonly records: LogRecord[];
  /** Bytes of the values. */
  bytes: number;
}

/**
 * Adds records from an index on, as long as the batch has no more than `maxRecords` and, except for its first record,
 * no more than `maxBytes`. Returns false if some were left.
 */
function addRecords(
  batch: RecordBatch,
  from: readonly LogRecord[],
  start: number,
  maxRecords: number,
  maxBytes: number,
): boolean {
  const { records } = batch;
  for (let at = start; at < from.length; at += 1) {
    const record = from[at]!;
    const bytes = batch.bytes + (record.value?.length ?? 0);
    if (records.length === maxRecords || (bytes > maxBytes && records.length > 0)) return false;
    batch.bytes = bytes;
    records.push(record);
  }
  return true;
}

/** Index of the first record at or after an offset. */
function indexOf(records: readonly LogRecord[], offset: number): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (records[middle]!.offset < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Opens the partitions of a topic; creates them if writing is allowed. */
export function openPartitions(environment: LogEnvironment, topic: string, count: number): Partition[] {
  return Array.from({ length: count }, (_, partition) => {
    const tree = environment.partition(partitionName({ topic, partition }));
    if (!tree) throw new LogError('log_unknown_topic', `partition ${partition} of ${topic} does not exist yet`);
    return new Partition(topic, partition, tree);
  });
}
