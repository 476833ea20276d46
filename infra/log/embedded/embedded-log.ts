import { isTurnUsedUp, nextTurn } from '../../runtime/turn.ts';
import {
  type AppendRecord,
  type EventLog,
  type GroupConsumer,
  type Lease,
  LogError,
  type LogReader,
  type LogRecord,
  type TopicPartition,
  type TopicSize,
  type TopicStorage,
  type Watermark,
} from '../log.ts';
import { checkSizes } from '../record-size.ts';
import { Compaction } from './compaction.ts';
import { EmbeddedGroups } from './embedded-groups.ts';
import { EmbeddedReader } from './embedded-reader.ts';
import type { LogEnvironment } from './environment.ts';
import { type ForeignChanges, ForeignTail } from './foreign-tail.ts';
import { type Journal, restoreEntries } from './journal.ts';
import { maintain } from './maintenance.ts';
import type { Partition } from './partition.ts';
import { RecentRecords } from './recent-records.ts';
import type { RetentionLimits } from './retention.ts';
import type { SyncPoints } from './sync-points.ts';
import { sizeOf } from './topic-sizes.ts';
import type { TopicTable } from './topic-table.ts';
import type { TreeMoves } from './tree-moves.ts';

/** Parts that only the writing process has. */
export interface WriterParts {
  readonly journal: Journal;
  readonly moves: TreeMoves;
  readonly syncPoints: SyncPoints;
  /** Releases the data directory, so that another process can write. */
  readonly release: () => Promise<void>;
}

/** Records of one batch for one partition. */
interface Placed {
  readonly partition: Partition;
  readonly records: LogRecord[];
}

/**
 * The event log in one LMDB environment, with a database for each partition: its records are stored together in blocks
 * (`block-layout.ts`), its size is read from one tree, and emptying it is one operation. A batch is one synchronous
 * write to the journal (`journal.ts`), whatever its partitions are. Full, compressed blocks of a partition
 * (`open-run.ts`) are moved into its tree.
 */
export class EmbeddedLog implements EventLog {
  private readonly environment: LogEnvironment;
  private readonly topics: TopicTable;
  /** Null in a read-only process. */
  private readonly writer: WriterParts | null;
  private readonly groups: EmbeddedGroups | null;
  private readonly foreign: ForeignTail | null;
  private readonly recent = new RecentRecords();
  private readonly compaction = new Compaction();
  private readonly readers = new Set<EmbeddedReader>();
  private appendedAt = 0;
  /** Number of the newest transaction that created or emptied partitions. */
  private partitionsChangedIn = -1;
  /** Appends that wait until a sync point includes that transaction, one after the other. */
  private waiting: Promise<unknown> = Promise.resolve();
  private waitingAppends = 0;
  private maintaining: Promise<unknown> = Promise.resolve();
  private stopMaintenance = false;
  private closed = false;

  /** @param process the parts of the writing process, or the tail with which a read-only process follows another. */
  constructor(environment: LogEnvironment, topics: TopicTable, process: WriterParts | ForeignTail) {
    this.environment = environment;
    this.topics = topics;
    this.writer = process instanceof ForeignTail ? null : process;
    this.groups = this.writer ? this.openGroups() : null;
    this.foreign = process instanceof ForeignTail ? process : null;
    this.writer?.journal.restore(this.partitionsByName(), (partition) => this.writer!.moves.note(partition));
    if (this.foreign) this.applyForeignChanges(this.foreign.readChanges());
    this.foreign?.follow((changes) => this.applyForeignChanges(changes));
    for (const partition of this.everyPartition())
      this.appendedAt = Math.max(this.appendedAt, partition.lastAppendedAt());
  }

  async createTopics(topics: readonly TopicStorage[]): Promise<void> {
    this.assertOpen();
    if (this.writer) {
      this.topics.create(topics);
      this.notePartitionChange();
    } else this.topics.require(topics);
  }

  /** The log references the values of the newest records: callers must not write to them afterwards. */
  async append(records: readonly AppendRecord[]): Promise<void> {
    const { syncPoints, journal, moves } = this.assertWriting();
    if (records.length === 0) return;
    checkSizes(records);
    if (this.waitingAppends > 0 || this.partitionsChangedIn > syncPoints.transaction) await this.waitForSyncPoint();
    syncPoints.touch();
    const hasRoom = moves.makeRoom();
    const placed = this.place(records);
    const partitions = placed.map(({ partition }) => partition);
    const entry = journal.entryFor(placed);
    const added = placed.map(({ partition, records: own }) => partition.writableRun().pack(partition.name, own, entry));
    if (!hasRoom || !journal.append(entry, partitions)) {
      // Moves and the next sync point may free space.
      moves.moveReady(1);
      throw new LogError('log_full', 'the disk of the log is full');
    }
    for (const [index, { partition, records: own }] of placed.entries()) {
      for (const block of added[index]!) partition.run.add(block);
      moves.note(partition);
      partition.next += own.length;
      this.recent.add(partition, own);
    }
    for (const partition of partitions) for (const listener of partition.listeners) listener.onRecords();
    moves.moveReady();
    if (isTurnUsedUp()) await nextTurn();
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

  /** Acquired immediately and never lost: the data directory has one writer. */
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

  async recordFrom(at: TopicPartition & { readonly offset: number }): Promise<LogRecord | null> {
    this.assertOpen();
    const partition = this.topics.partitionAt(at);
    return at.offset < partition.next ? (partition.read(at.offset, 1, Number.POSITIVE_INFINITY)[0] ?? null) : null;
  }

  async offsetAt(at: TopicPartition, appendedAt: number): Promise<number> {
    this.assertOpen();
    return this.topics.partitionAt(at).offsetAt(appendedAt);
  }

  async sizes(): Promise<readonly TopicSize[]> {
    this.assertOpen();
    return this.topics.all().map(sizeOf);
  }

  async clearTopic(topic: string): Promise<void> {
    const { journal } = this.assertWriting();
    const partitions = this.topics.partitionsOf(topic);
    // A running maintenance holds offsets that are about to change their meaning.
    this.stopMaintenance = true;
    await this.maintaining;
    this.stopMaintenance = false;
    this.environment.transact(() => {
      for (const partition of partitions) partition.tree.clear();
      journal.clear(partitions);
      this.groups!.forgetTopic(partitions);
    });
    for (const partition of partitions) this.resetPartition(partition);
    this.notePartitionChange();
  }

  async maintain(now: number, limits: RetentionLimits, signal?: AbortSignal): Promise<number> {
    const { syncPoints, moves } = this.assertWriting();
    const run = this.maintaining.then(async () => {
      if (this.closed || signal?.aborted) return 0;
      this.environment.root.readerCheck();
      const removed = await maintain({
        topics: this.topics.all(),
        now,
        limits,
        compaction: this.compaction,
        remove: (partition, plan) => moves.remove(partition, plan),
        flush: (partition) => void moves.flush(partition),
        isStopped: () => this.stopMaintenance || this.closed || signal?.aborted === true,
      });
      // Removed pages can only be overwritten after a sync point.
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
      if (this.writer) for (const partition of this.everyPartition()) this.writer.moves.flush(partition);
      this.writer?.moves.noteFirst();
      await this.writer?.syncPoints.close();
    } finally {
      this.writer?.journal.close();
      await this.environment.root.close();
      await this.writer?.release();
    }
  }

  /** Assigns an offset to every record; grouped by partition in the order of the batch. */
  private place(records: readonly AppendRecord[]): Placed[] {
    // A wall clock that was set back must not make a later record appear older.
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

  /** Call after partitions were created or emptied. */
  private notePartitionChange(): void {
    this.partitionsChangedIn = this.environment.newestTransaction();
    this.writer!.syncPoints.touch();
  }

  /**
   * Resolves, in the order of the calls, once a sync point includes the newest change of partitions: after a loss of
   * power the journal must not contain entries of a partition whose tree is missing or outdated.
   */
  private async waitForSyncPoint(): Promise<void> {
    const { syncPoints } = this.assertWriting();
    this.waitingAppends += 1;
    const turn = this.waiting.then(async () => {
      while (this.partitionsChangedIn > syncPoints.transaction && !this.closed) await syncPoints.make();
    });
    this.waiting = turn.catch(() => {});
    try {
      await turn;
    } catch (cause) {
      throw new LogError('log_unavailable', 'the log could not flush its files', { cause });
    } finally {
      this.waitingAppends -= 1;
    }
    this.assertOpen();
  }

  private resetPartition(partition: Partition): void {
    partition.forgetRecent();
    partition.forgetRun();
    partition.next = 0;
    partition.watermark = Number.NEGATIVE_INFINITY;
    partition.watermarkOffset = 0;
    this.compaction.forget(partition);
    this.writer!.moves.forget(partition);
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

  /** Applies the changes of another process, and notifies readers. */
  private applyForeignChanges({ entries, barriers, cleared, hasCommitted }: ForeignChanges): void {
    if (hasCommitted) this.topics.load();
    const byName = this.partitionsByName();
    const before = new Map(Array.from(byName.values(), (partition) => [partition, partition.next]));
    for (const name of cleared) byName.get(name)?.forgetRun();
    const changed = new Set<Partition>();
    restoreEntries(entries, byName, barriers, { writes: false, onPart: (partition) => changed.add(partition) });
    for (const partition of hasCommitted ? byName.values() : changed) {
      if (hasCommitted) {
        // The other process has moved records into the trees.
        partition.dropStored();
        partition.next = partition.end();
      }
      const isCleared = cleared.has(partition.name);
      if (partition.next === before.get(partition) && !isCleared) continue;
      for (const listener of partition.listeners) {
        if (isCleared) listener.onClear();
        listener.onRecords();
      }
    }
  }

  private partitionsByName(): Map<string, Partition> {
    return new Map(this.everyPartition().map((partition) => [partition.name, partition]));
  }

  private everyPartition(): Partition[] {
    return this.topics.all().flatMap(({ partitions }) => partitions);
  }

  private assertOpen(): void {
    if (this.closed) throw new LogError('log_closed', 'the log was closed');
  }

  private assertWriting(): WriterParts {
    this.assertOpen();
    if (!this.writer) throw new LogError('log_locked', 'this process opened the log read-only');
    return this.writer;
  }
}
