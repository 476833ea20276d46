import {
  type AppendRecord,
  type EventLog,
  type GroupConsumer,
  type Lease,
  LogError,
  type LogReader,
  type LogRecord,
  type TopicPartition,
  type TopicStorage,
  type Watermark,
} from '../log.ts';
import { checkSizes } from '../record-size.ts';
import { sizeBound } from './block-layout.ts';
import { Compaction } from './compaction.ts';
import type { DiskRoom } from './disk-room.ts';
import { EmbeddedGroups } from './embedded-groups.ts';
import { EmbeddedReader } from './embedded-reader.ts';
import type { LogEnvironment } from './environment.ts';
import { ForeignTail } from './foreign-tail.ts';
import { LoopShare } from './loop-share.ts';
import { maintain } from './maintenance.ts';
import { FULL_BYTES, type RunChange } from './open-run.ts';
import type { Partition } from './partition.ts';
import { RecentRecords } from './recent-records.ts';
import { applyRemoval, type Removal } from './removal.ts';
import type { RetentionLimits } from './retention.ts';
import type { SyncPoints } from './sync-points.ts';
import type { TopicTable } from './topic-table.ts';

/** What only the writing process has. */
export interface WriterParts {
  readonly room: DiskRoom;
  readonly syncPoints: SyncPoints;
  /** Lets another process write. */
  readonly release: () => Promise<void>;
}

const APPEND = { append: true } as const;
/** Less than this is not compressed before a full block has gathered: it takes a page or two in any case. */
const COMPRESS_BYTES_MIN = 8 * 1024;

/** Records of one batch that go to one partition. */
interface Placed {
  readonly partition: Partition;
  readonly records: LogRecord[];
}

/**
 * The event log in one LMDB environment, with a database for each partition: its records stand side by side in blocks
 * (`block-layout.ts`), its size is a look at one tree, and emptying it is one operation. A batch is one synchronous
 * transaction, whatever partitions it goes to: it puts one small block at the end of each, or a full, compressed one in
 * place of those that gathered there (`open-run.ts`).
 */
export class EmbeddedLog implements EventLog {
  private readonly environment: LogEnvironment;
  private readonly topics: TopicTable;
  /** Null in a process that only reads. */
  private readonly writer: WriterParts | null;
  private readonly groups: EmbeddedGroups | null;
  private readonly foreign: ForeignTail | null;
  private readonly recent = new RecentRecords();
  private readonly compaction = new Compaction();
  private readonly readers = new Set<EmbeddedReader>();
  private readonly loopShare = new LoopShare();
  private appendedAt: number;
  private maintaining: Promise<unknown> = Promise.resolve();
  private stopMaintenance = false;
  private closed = false;

  constructor(environment: LogEnvironment, topics: TopicTable, writer: WriterParts | null) {
    this.environment = environment;
    this.topics = topics;
    this.writer = writer;
    this.groups = writer ? this.openGroups() : null;
    this.foreign = writer ? null : new ForeignTail(environment, () => this.takeForeignNews());
    const newest = topics.all().flatMap(({ partitions }) => partitions.map((partition) => partition.lastAppendedAt()));
    this.appendedAt = newest.reduce((latest, appendedAt) => Math.max(latest, appendedAt), 0);
  }

  async createTopics(topics: readonly TopicStorage[]): Promise<void> {
    this.assertOpen();
    if (this.writer) {
      this.topics.create(topics);
      this.writer.syncPoints.touch();
    } else this.topics.require(topics);
  }

  /** The log keeps the values of the newest records as they were handed over: they must not be written to afterwards. */
  async append(records: readonly AppendRecord[]): Promise<void> {
    const { room, syncPoints } = this.assertWriting();
    if (records.length === 0) return;
    checkSizes(records);
    const placed = this.place(records);
    let bytes = 0;
    for (const { partition, records: own } of placed) {
      let added = 0;
      for (const record of own) added += sizeBound(record);
      bytes += partition.openRun().writtenBytes(added);
    }
    if (!room.takes(bytes, placed.length)) {
      // A sync point may show that there are free pages inside the file.
      syncPoints.touch();
      throw new LogError('log_full', 'the log has no room left on its disk');
    }
    this.change(placed.map(({ partition, records: own }) => ({ partition, change: partition.openRun().append(own) })));
    syncPoints.touch();
    for (const { partition, records: own } of placed) {
      partition.next += own.length;
      this.recent.add(partition, own);
    }
    for (const { partition } of placed) for (const listener of partition.listeners) listener.onRecords();
    if (this.loopShare.isUsedUp()) await this.loopShare.next();
  }

  advance(watermarks: readonly Watermark[]): void {
    for (const mark of watermarks) {
      const partition = this.topics.partitionAt(mark);
      if (mark.watermark <= partition.watermark) continue;
      partition.watermark = mark.watermark;
      partition.watermarkOffset = partition.next;
      for (const listener of partition.listeners) listener.onWatermark();
    }
  }

  /** Had at once, and for good: whoever writes is alone in the data directory. */
  async lease(_name: string, topics: readonly string[]): Promise<Lease> {
    this.assertWriting();
    for (const topic of topics) this.topics.partitionsOf(topic);
    return { lost: new Promise(() => {}), promisedUntil: Number.NEGATIVE_INFINITY, release: async () => {} };
  }

  async reader(from: readonly (TopicPartition & { readonly offset: number })[]): Promise<LogReader> {
    this.assertOpen();
    const reader = new EmbeddedReader(
      from.map((at) => ({ partition: this.topics.partitionAt(at), offset: at.offset })),
      { onClose: (closed) => this.readers.delete(closed) },
    );
    this.readers.add(reader);
    return reader;
  }

  async group(groupId: string, topics: readonly string[]): Promise<GroupConsumer> {
    this.assertWriting();
    return this.groups!.join(groupId, topics);
  }

  async bounds(at: TopicPartition): Promise<{ first: number; next: number }> {
    this.assertOpen();
    const partition = this.topics.partitionAt(at);
    return { first: partition.first(), next: partition.next };
  }

  async last(at: TopicPartition): Promise<LogRecord | null> {
    this.assertOpen();
    return this.topics.partitionAt(at).lastRecord();
  }

  async offsetAt(at: TopicPartition, appendedAt: number): Promise<number> {
    this.assertOpen();
    return this.topics.partitionAt(at).offsetAt(appendedAt);
  }

  async clearTopic(topic: string): Promise<void> {
    const { syncPoints } = this.assertWriting();
    const partitions = this.topics.partitionsOf(topic);
    // A maintenance run under way knows offsets that are about to mean something else.
    this.stopMaintenance = true;
    await this.maintaining;
    this.stopMaintenance = false;
    this.environment.transact(() => {
      for (const partition of partitions) partition.db.clearSync();
      this.groups!.forgetTopic(partitions);
    });
    for (const partition of partitions) this.emptied(partition);
    syncPoints.touch();
  }

  async maintain(now: number, limits: RetentionLimits, signal?: AbortSignal): Promise<number> {
    const { syncPoints } = this.assertWriting();
    const run = this.maintaining.then(async () => {
      if (this.closed || signal?.aborted) return 0;
      this.environment.root.readerCheck();
      const removed = await maintain({
        topics: this.topics.all(),
        now,
        limits,
        compaction: this.compaction,
        remove: (partition, removal) => this.remove(partition, removal),
        compressEnd: (partition) => this.compressEnd(partition),
        isStopped: () => this.stopMaintenance || this.closed || signal?.aborted === true,
      });
      // What was removed can only be written over once a sync point lies behind it.
      if (removed > 0 && !this.closed) await syncPoints.make();
      return removed;
    });
    this.maintaining = run.catch(() => {});
    return run;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.foreign?.close();
    for (const reader of [...this.readers]) reader.stop(new LogError('log_closed', 'the log was closed'));
    await this.maintaining;
    try {
      if (this.writer)
        for (const { partitions } of this.topics.all()) for (const partition of partitions) this.compressEnd(partition);
      await this.writer?.syncPoints.close();
    } finally {
      await this.environment.root.close();
      await this.writer?.release();
    }
  }

  /** Gives every record its offset; grouped by partition in the order of the batch. */
  private place(records: readonly AppendRecord[]): Placed[] {
    // A wall clock that was set back must not make a later record look older.
    this.appendedAt = Math.max(this.appendedAt, Date.now());
    const { appendedAt } = this;
    const placed = new Map<Partition, LogRecord[]>();
    for (const { topic, partition: index, key, value, receivedAt, seq } of records) {
      const partition = this.topics.partitionAt({ topic, partition: index });
      const own = placed.get(partition) ?? [];
      if (own.length === 0) placed.set(partition, own);
      const offset = partition.next + own.length;
      own.push({ topic, partition: index, key, value, receivedAt, seq, offset, appendedAt });
    }
    return Array.from(placed, ([partition, own]) => ({ partition, records: own }));
  }

  /** Writes changes of the ends of partitions, all or none. */
  private change(changes: readonly { readonly partition: Partition; readonly change: RunChange }[]): void {
    this.environment.transact(() => {
      for (const { partition, change } of changes) {
        for (const key of change.removed) partition.db.removeSync(key);
        for (const { key, block } of change.put)
          if (!partition.db.putSync(key, block, APPEND)) throw new Error(`offset ${key} of ${partition.name} is taken`);
      }
    });
    for (const { partition, change } of changes) partition.openRun().commit(change);
  }

  /** Compresses what has gathered at the end of a partition. */
  private compressEnd(partition: Partition): void {
    if (partition.plainBytes < COMPRESS_BYTES_MIN) return;
    const { room, syncPoints } = this.writer!;
    const run = partition.openRun();
    if (!room.takes(run.writtenBytes(FULL_BYTES), 1)) return;
    this.change([{ partition, change: run.compress() }]);
    syncPoints.touch();
  }

  private remove(partition: Partition, removal: Removal): number {
    const removed = applyRemoval(partition, removal, (work) => this.environment.transact(work));
    if (removed === 0) return 0;
    partition.forgetRecent();
    this.writer!.syncPoints.touch();
    return removed;
  }

  private emptied(partition: Partition): void {
    partition.forgetRecent();
    partition.next = 0;
    partition.watermark = Number.NEGATIVE_INFINITY;
    partition.watermarkOffset = 0;
    this.compaction.forget(partition);
    for (const listener of partition.listeners) listener.onClear();
  }

  private openGroups(): EmbeddedGroups {
    return new EmbeddedGroups({
      offsets: this.environment.json<number>('groups')!,
      transact: (work) => {
        this.assertWriting().syncPoints.touch();
        return this.environment.transact(work);
      },
      partitionsOf: (topic) => this.topics.partitionsOf(topic),
      onReader: (reader) => this.readers.add(reader),
    });
  }

  /** Another process has appended: whoever reads here is told. */
  private takeForeignNews(): void {
    this.topics.load();
    for (const { partitions } of this.topics.all()) {
      for (const partition of partitions) {
        const next = partition.endOnDisk();
        if (next === partition.next) continue;
        const cleared = next < partition.next;
        partition.next = next;
        for (const listener of partition.listeners) {
          if (cleared) listener.onClear();
          listener.onRecords();
        }
      }
    }
  }

  private assertOpen(): void {
    if (this.closed) throw new LogError('log_closed', 'the log was closed');
  }

  private assertWriting(): WriterParts {
    this.assertOpen();
    if (!this.writer) throw new LogError('log_locked', 'this process opened the log to read only');
    return this.writer;
  }
}
