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
import { Compaction } from './compaction.ts';
import type { DiskRoom } from './disk-room.ts';
import { EmbeddedGroups } from './embedded-groups.ts';
import { EmbeddedReader } from './embedded-reader.ts';
import type { LogEnvironment } from './environment.ts';
import { ForeignTail } from './foreign-tail.ts';
import { Journal, packEntry } from './journal.ts';
import { LoopShare } from './loop-share.ts';
import { maintain } from './maintenance.ts';
import type { RunChange } from './open-run.ts';
import type { Partition } from './partition.ts';
import { RecentRecords } from './recent-records.ts';
import { applyRemoval, type Removal, removalBelow } from './removal.ts';
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
const REPLACE = {} as const;
/** Above this the partitions that keep the oldest entries of the journal are flushed. */
const JOURNAL_BYTES_MAX = 4 * 1024 * 1024;
/** Flushed beside an append, so that it does not take long. */
const FLUSH_PARTITIONS_MAX = 2;

/** What becomes of the end of a partition. */
interface EndChange {
  readonly partition: Partition;
  readonly change: RunChange;
}

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
  private readonly journal: Journal;
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
    this.journal = new Journal(environment);
    this.loadJournal();
    this.appendedAt = 0;
    for (const partition of this.everyPartition())
      this.appendedAt = Math.max(this.appendedAt, partition.lastAppendedAt());
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
    const { syncPoints } = this.assertWriting();
    if (records.length === 0) return;
    checkSizes(records);
    const placed = this.place(records);
    const holders = this.journal.bytes > JOURNAL_BYTES_MAX ? this.journal.holders() : [];
    const changes = placed.map(({ partition, records: own }) => ({
      partition,
      change: partition.writableRun().append(own, holders.includes(partition)),
    }));
    const flushed = this.flushesBeside(changes, holders);
    if (!this.change([...changes, ...flushed])) {
      // A sync point may show that there are free pages inside the file.
      syncPoints.touch();
      throw new LogError('log_full', 'the log has no room left on its disk');
    }
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

  async committed(groupId: string, at: readonly TopicPartition[]): Promise<readonly (number | null)[]> {
    this.assertWriting();
    return at.map((one) => this.groups!.committed(groupId, this.topics.partitionAt(one)));
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
      this.journal.clear(partitions);
      this.groups!.forgetTopic(partitions);
    });
    this.journal.noteCleared();
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
        remove: (partition, plan) => this.remove(partition, plan),
        flush: (partition) => void this.flush(partition),
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
      if (this.writer) this.flushAll();
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
      own.push({ topic, partition: index, key, value, receivedAt, seq, offset, appendedAt, decoded: undefined });
    }
    return Array.from(placed, ([partition, own]) => ({ partition, records: own }));
  }

  /**
   * Writes changes of the ends of partitions, all or none; false when the disk has no room for them.
   * @param cuts how many of the oldest entries of the journal are removed.
   */
  private change(changes: readonly EndChange[], cuts = this.journal.removable()): boolean {
    const { journal } = this;
    const journaled = changes.filter(({ change }) => change.journaled !== null);
    const parts = journaled.map(({ partition, change }) => ({ name: partition.name, block: change.journaled! }));
    const entry = parts.length > 0 ? packEntry(parts) : null;
    const put = changes.flatMap(({ partition, change }) => change.put.map((block) => ({ partition, ...block })));
    const bytes = put.reduce((sum, { block }) => sum + block.length, entry?.length ?? 0);
    if (!this.writer!.room.takes(bytes, put.length + 1)) return false;
    this.environment.transact(() => {
      for (const { partition, key, block, replaces } of put)
        if (!partition.db.putSync(key, block, replaces ? REPLACE : APPEND))
          throw new Error(`offset ${key} of ${partition.name} is taken`);
      if (entry) journal.put(entry);
      journal.remove(cuts);
    });
    journal.forget(cuts);
    const number = journal.nextNumber;
    for (const { partition, change } of changes) partition.run.commit(change, number);
    if (entry) journal.note({ number, bytes: entry.length, partitions: journaled.map(({ partition }) => partition) });
    return true;
  }

  /** Flushes of some partitions that keep the journal from being cut, of those that are not changed already. */
  private flushesBeside(changes: readonly EndChange[], holders: readonly Partition[]): EndChange[] {
    const changed = new Set(changes.map(({ partition }) => partition));
    const others = holders.filter((partition) => !changed.has(partition)).slice(0, FLUSH_PARTITIONS_MAX);
    return others.map((partition) => ({ partition, change: partition.run.flush() }));
  }

  /** Brings what is in the journal of a partition into its tree; false when the disk has no room for it. */
  private flush(partition: Partition): boolean {
    if (!partition.run.isJournaled) return true;
    if (!this.change([{ partition, change: partition.run.flush() }])) return false;
    this.writer!.syncPoints.touch();
    return true;
  }

  /** Empties the journal, as far as the disk has room for that. */
  private flushAll(): void {
    for (const { partitions } of this.topics.all()) for (const partition of partitions) this.flush(partition);
    this.change([], this.journal.neededNoMore());
  }

  private remove(partition: Partition, plan: () => Removal): number {
    const isFlushed = this.flush(partition);
    const planned = plan();
    // What is in the journal alone goes on from the last block of the tree: that one stays as it is, then.
    const removal = isFlushed ? planned : removalBelow(planned, partition.run.blocks[0]!.key);
    const removed = applyRemoval(partition, removal, (work) => this.environment.transact(work));
    if (removed === 0) return 0;
    partition.forgetRecent();
    if (isFlushed) partition.forgetRun();
    this.writer!.syncPoints.touch();
    return removed;
  }

  private emptied(partition: Partition): void {
    partition.forgetRecent();
    partition.forgetRun();
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
    const before = new Map(this.everyPartition().map((partition) => [partition, partition.next]));
    this.loadJournal();
    for (const { partitions } of this.topics.all()) {
      for (const partition of partitions) {
        const next = partition.end();
        const known = before.get(partition)!;
        if (next === known) continue;
        const cleared = next < known;
        partition.next = next;
        for (const listener of partition.listeners) {
          if (cleared) listener.onClear();
          listener.onRecords();
        }
      }
    }
  }

  /** Takes in what other records the journal holds than it did at the last time. */
  private loadJournal(): void {
    const byName = new Map(this.everyPartition().map((partition) => [partition.name, partition]));
    this.journal.load(
      (name) => byName.get(name),
      () => {
        for (const partition of byName.values()) partition.forgetRun();
      },
    );
    // A reader's runs are cut where another process has brought them into the trees.
    if (!this.writer) for (const partition of byName.values()) partition.dropStored();
  }

  private everyPartition(): Partition[] {
    return this.topics.all().flatMap(({ partitions }) => partitions);
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
