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
import { EmbeddedGroups } from './embedded-groups.ts';
import { EmbeddedReader } from './embedded-reader.ts';
import type { LogEnvironment } from './environment.ts';
import { type ForeignNews, ForeignTail } from './foreign-tail.ts';
import { type Journal, restoreEntries } from './journal.ts';
import { LoopShare } from './loop-share.ts';
import { maintain } from './maintenance.ts';
import type { Partition } from './partition.ts';
import { RecentRecords } from './recent-records.ts';
import type { RetentionLimits } from './retention.ts';
import type { SyncPoints } from './sync-points.ts';
import type { TopicTable } from './topic-table.ts';
import type { TreeMoves } from './tree-moves.ts';

/** What only the writing process has. */
export interface WriterParts {
  readonly journal: Journal;
  readonly moves: TreeMoves;
  readonly syncPoints: SyncPoints;
  /** Lets another process write. */
  readonly release: () => Promise<void>;
}

/** Records of one batch that go to one partition. */
interface Placed {
  readonly partition: Partition;
  readonly records: LogRecord[];
}

/**
 * The event log in one LMDB environment, with a database for each partition: its records stand side by side in blocks
 * (`block-layout.ts`), its size is a look at one tree, and emptying it is one operation. A batch is one synchronous write
 * to the journal (`journal.ts`), whatever partitions it goes to; full, compressed blocks of what has gathered of a
 * partition (`open-run.ts`) move into its tree.
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
  private appendedAt = 0;
  /** Number of the newest transaction that made or emptied partitions. */
  private startedIn = -1;
  /** Appends that wait until a sync point holds that transaction, one after the other. */
  private waiting: Promise<unknown> = Promise.resolve();
  private waitingAppends = 0;
  private maintaining: Promise<unknown> = Promise.resolve();
  private stopMaintenance = false;
  private closed = false;

  /** @param process what the writing process has, or what a reading one follows another with. */
  constructor(environment: LogEnvironment, topics: TopicTable, process: WriterParts | ForeignTail) {
    this.environment = environment;
    this.topics = topics;
    this.writer = process instanceof ForeignTail ? null : process;
    this.groups = this.writer ? this.openGroups() : null;
    this.foreign = process instanceof ForeignTail ? process : null;
    this.writer?.journal.restore(this.partitionsByName(), (partition) => this.writer!.moves.note(partition));
    if (this.foreign) this.takeForeignNews(this.foreign.take());
    this.foreign?.follow((news) => this.takeForeignNews(news));
    for (const partition of this.everyPartition())
      this.appendedAt = Math.max(this.appendedAt, partition.lastAppendedAt());
  }

  async createTopics(topics: readonly TopicStorage[]): Promise<void> {
    this.assertOpen();
    if (this.writer) {
      this.topics.create(topics);
      this.noteStart();
    } else this.topics.require(topics);
  }

  /** The log keeps the values of the newest records as they were handed over: they must not be written to afterwards. */
  async append(records: readonly AppendRecord[]): Promise<void> {
    const { syncPoints, journal, moves } = this.assertWriting();
    if (records.length === 0) return;
    checkSizes(records);
    if (this.waitingAppends > 0 || this.startedIn > syncPoints.transaction) await this.waitForStart();
    syncPoints.touch();
    const hasRoom = moves.makeRoom();
    const placed = this.place(records);
    const partitions = placed.map(({ partition }) => partition);
    const entry = journal.entryFor(placed);
    const added = placed.map(({ partition, records: own }) => partition.writableRun().pack(partition.name, own, entry));
    if (!hasRoom || !journal.append(entry, partitions)) {
      // Room may come from what moves and from the sync point after that.
      moves.moveBeside();
      throw new LogError('log_full', 'the log has no room left on its disk');
    }
    for (const [index, { partition, records: own }] of placed.entries()) {
      for (const block of added[index]!) partition.run.add(block);
      moves.note(partition);
      partition.next += own.length;
      this.recent.add(partition, own);
    }
    for (const partition of partitions) for (const listener of partition.listeners) listener.onRecords();
    moves.moveBeside();
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
    const { journal } = this.assertWriting();
    const partitions = this.topics.partitionsOf(topic);
    // A maintenance run under way knows offsets that are about to mean something else.
    this.stopMaintenance = true;
    await this.maintaining;
    this.stopMaintenance = false;
    this.environment.transact(() => {
      for (const partition of partitions) partition.db.clearSync();
      journal.clear(partitions);
      this.groups!.forgetTopic(partitions);
    });
    for (const partition of partitions) this.emptied(partition);
    this.noteStart();
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
      if (this.writer) for (const partition of this.everyPartition()) this.writer.moves.flush(partition);
      this.writer?.moves.noteFirst();
      await this.writer?.syncPoints.close();
    } finally {
      this.writer?.journal.close();
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

  /** Partitions were made or emptied. */
  private noteStart(): void {
    this.startedIn = this.environment.newestTransaction();
    this.writer!.syncPoints.touch();
  }

  /**
   * Resolves, in the order of the calls, once a sync point holds the newest start of partitions: after a loss of power
   * the journal must not have entries of a partition whose tree is missing or an earlier one.
   */
  private async waitForStart(): Promise<void> {
    const { syncPoints } = this.assertWriting();
    this.waitingAppends += 1;
    const turn = this.waiting.then(async () => {
      while (this.startedIn > syncPoints.transaction && !this.closed) await syncPoints.make();
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

  private emptied(partition: Partition): void {
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

  /** Takes in what another process has done, and calls whoever reads here. */
  private takeForeignNews({ entries, barriers, cleared, hasCommitted }: ForeignNews): void {
    if (hasCommitted) this.topics.load();
    const byName = this.partitionsByName();
    const before = new Map(Array.from(byName.values(), (partition) => [partition, partition.next]));
    for (const name of cleared) byName.get(name)?.forgetRun();
    const changed = new Set<Partition>();
    restoreEntries(entries, byName, barriers, { writes: false, onPart: (partition) => changed.add(partition) });
    for (const partition of hasCommitted ? byName.values() : changed) {
      if (hasCommitted) {
        // What the other process has brought into the trees.
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
    if (!this.writer) throw new LogError('log_locked', 'this process opened the log to read only');
    return this.writer;
  }
}
