/** Moves records from the journal into the trees of their partitions, each move in one transaction. */
import { LogError } from '../log.ts';
import type { DiskRoom } from './disk-room.ts';
import type { LogEnvironment } from './environment.ts';
import type { Journal } from './journal.ts';
import type { Partition } from './partition.ts';
import { applyRemoval, type Removal, removalBelow } from './removal.ts';
import type { SyncPoints } from './sync-points.ts';

/**
 * Full blocks move together once there are this many: each commit costs the same whatever it moves, and more the more
 * free pages LMDB has, since it checks its list of them.
 */
const READY_BLOCKS = 8;
/** Partitions flushed during an append, so that it does not take long. */
const FLUSH_PARTITIONS_MAX = 8;
/** Partitions whose full blocks are moved in one transaction. */
const MOVE_PARTITIONS_MAX = 64;
/** Delay after which a move that failed for lack of disk space is retried. */
const RETRY_MS = 250;
/** Multiple of its size bound above which the journal refuses appends. */
const TIMES_MAX = 2;

export interface TreeMovesOptions {
  readonly environment: LogEnvironment;
  readonly journal: Journal;
  readonly room: DiskRoom;
  readonly syncPoints: SyncPoints;
  /** Called with an error of a background move; it is retried. */
  readonly onFault: (error: unknown) => void;
}

export class TreeMoves {
  private readonly options: TreeMovesOptions;
  /** Partitions with full blocks that are not in their trees yet. */
  private readonly full = new Set<Partition>();
  private retryAt = Number.NEGATIVE_INFINITY;

  constructor(options: TreeMovesOptions) {
    this.options = options;
  }

  /** Call after the run of a partition has grown. */
  note(partition: Partition): void {
    if (partition.run.fullBlocks > 0) this.full.add(partition);
  }

  /** Call after a partition was emptied. */
  forget(partition: Partition): void {
    this.full.delete(partition);
  }

  /**
   * Moves full blocks once there are enough of them, or earlier with the partitions that hold the journal above its
   * bound. Moves that fail for lack of space are retried later.
   * @param least number of full blocks that are enough.
   */
  moveReady(least = READY_BLOCKS): void {
    const { journal } = this.options;
    const holders = journal.isAbove(1) ? journal.holders().slice(0, FLUSH_PARTITIONS_MAX) : [];
    if (holders.length > 0 && !this.tryMove(holders)) return;
    while (this.readyBlocks() >= least && this.tryMove([]));
  }

  /** True if the journal may accept more; flushes partitions if it is far above its bound. */
  makeRoom(): boolean {
    const { journal } = this.options;
    while (journal.isAbove(TIMES_MAX)) if (!this.tryMove(journal.holders())) return false;
    return true;
  }

  /** Moves everything of a partition into its tree; returns false if the disk is full. */
  flush(partition: Partition): boolean {
    while (partition.run.isJournaled) if (!this.move([partition])) return false;
    return true;
  }

  /** Stores in LMDB which entries of the journal are no longer needed; returns false if the disk is full. */
  noteFirst(): boolean {
    return !this.options.journal.isBehind || this.move([]);
  }

  /** Moves everything of a partition into its tree, then removes records; returns how many. */
  remove(partition: Partition, plan: () => Removal): number {
    const isFlushed = this.flush(partition);
    const planned = plan();
    // Journaled records continue the last block of the tree: that block must not change then.
    const removal = isFlushed ? planned : removalBelow(planned, partition.blockAt(Number.MAX_SAFE_INTEGER)?.key ?? 0);
    const removed = applyRemoval(partition, removal, (work) => this.options.environment.transact(work));
    if (removed === 0) return 0;
    partition.forgetRecent();
    if (isFlushed) partition.forgetRun();
    this.options.syncPoints.touch();
    return removed;
  }

  private readyBlocks(): number {
    let blocks = 0;
    for (const { run } of this.full) blocks += run.fullBlocks;
    return blocks;
  }

  /** Flushes partitions and moves the full blocks of others with them; false if it has to be retried later. */
  private tryMove(flushed: readonly Partition[]): boolean {
    if (performance.now() < this.retryAt) return false;
    const others = [...this.full].filter((partition) => !flushed.includes(partition)).slice(0, MOVE_PARTITIONS_MAX);
    try {
      if (this.move(flushed, others)) return true;
      // A smaller move may fit.
      if (flushed.length > 0 ? this.move(flushed.slice(0, 1)) : this.move([], others.slice(0, 1))) return true;
    } catch (error) {
      // The records are in the journal, so the append itself has not failed.
      if (!(error instanceof LogError && error.canRetry)) throw error;
      this.options.onFault(error);
    }
    this.retryAt = performance.now() + RETRY_MS;
    return false;
  }

  /**
   * Moves all or none; returns false if the disk is full.
   * @param flushed partitions whose incomplete blocks move too.
   * @param others partitions of which only full blocks move.
   */
  private move(flushed: readonly Partition[], others: readonly Partition[] = []): boolean {
    const { environment, journal, room, syncPoints } = this.options;
    const moves = [
      ...flushed.map((partition) => ({ partition, move: partition.run.move(true) })),
      ...others.map((partition) => ({ partition, move: partition.run.move(false) })),
    ];
    const put = moves.flatMap(({ partition, move }) => move.put.map((block) => ({ partition, ...block })));
    const bytes = put.reduce((sum, { block }) => sum + block.length, 0);
    if (!room.reserve(bytes, put.length + 1)) return false;
    const note = journal.note();
    environment.transact(() => {
      for (const { partition, key, block, replaces } of put)
        if (replaces) partition.tree.put(key, block);
        else if (!partition.tree.append(key, block))
          throw new Error(`offset ${key} of ${partition.name} already exists`);
      note.put();
    });
    note.done();
    for (const { partition, move } of moves) {
      partition.run.moved(move);
      if (partition.run.fullBlocks === 0) this.full.delete(partition);
    }
    syncPoints.touch();
    return true;
  }
}
