/** Moves records from the journal into the trees of their partitions, each move in one transaction. */
import { LogError } from '../log.ts';
import type { DiskRoom } from './disk-room.ts';
import type { LogEnvironment } from './environment.ts';
import type { Journal } from './journal.ts';
import type { Partition } from './partition.ts';
import { applyRemoval, type Removal, removalBelow } from './removal.ts';
import type { SyncPoints } from './sync-points.ts';

const APPEND = { append: true } as const;
const REPLACE = {} as const;
/** Flushed beside an append, so that it does not take long. */
const FLUSH_PARTITIONS_MAX = 2;
/** Partitions whose full blocks are moved in one transaction. */
const MOVE_PARTITIONS_MAX = 64;
/** A move for which there was no room is tried again after this time. */
const AGAIN_MS = 250;
/** Above so many times its bound the journal takes nothing more. */
const TIMES_MAX = 2;

export interface TreeMovesOptions {
  readonly environment: LogEnvironment;
  readonly journal: Journal;
  readonly room: DiskRoom;
  readonly syncPoints: SyncPoints;
  /** Called with a fault of a move that nobody waits for; it is tried again. */
  readonly onFault: (error: unknown) => void;
}

export class TreeMoves {
  private readonly options: TreeMovesOptions;
  /** Partitions with full blocks that are not in their trees yet. */
  private readonly full = new Set<Partition>();
  private againAt = Number.NEGATIVE_INFINITY;

  constructor(options: TreeMovesOptions) {
    this.options = options;
  }

  /** Something came to the run of a partition. */
  note(partition: Partition): void {
    if (partition.run.hasFullBlocks) this.full.add(partition);
  }

  /** A partition was emptied. */
  forget(partition: Partition): void {
    this.full.delete(partition);
  }

  /** Moves full blocks, and some of what keeps the journal above its bound. What has no room now is tried again later. */
  moveBeside(): void {
    const { journal } = this.options;
    const holders = journal.isAbove(1) ? journal.holders().slice(0, FLUSH_PARTITIONS_MAX) : [];
    if (holders.length > 0) this.tryMove(holders, true);
    while (this.full.size > 0 && this.tryMove([...this.full].slice(0, MOVE_PARTITIONS_MAX), false));
  }

  /** Whether the journal may take more; flushes what it can where it holds far more than it should. */
  makeRoom(): boolean {
    const { journal } = this.options;
    while (journal.isAbove(TIMES_MAX)) if (!this.tryMove(journal.holders(), true)) return false;
    return true;
  }

  /** Brings everything of a partition into its tree; false when the disk has no room for it. */
  flush(partition: Partition): boolean {
    while (partition.run.isJournaled) if (!this.move([partition], true)) return false;
    return true;
  }

  /** Notes in LMDB how far the journal is not needed any more; false when the disk has no room for that. */
  noteFirst(): boolean {
    return !this.options.journal.isBehind || this.move([], false);
  }

  /** Removes records of a partition's tree, into which everything is brought first; gives how many. */
  remove(partition: Partition, plan: () => Removal): number {
    const isFlushed = this.flush(partition);
    const planned = plan();
    // What is in the journal alone goes on from the last block of the tree: that one stays as it is, then.
    const removal = isFlushed ? planned : removalBelow(planned, partition.blockAt(Number.MAX_SAFE_INTEGER)?.key ?? 0);
    const removed = applyRemoval(partition, removal, (work) => this.options.environment.transact(work));
    if (removed === 0) return 0;
    partition.forgetRecent();
    if (isFlushed) partition.forgetRun();
    this.options.syncPoints.touch();
    return removed;
  }

  private tryMove(partitions: readonly Partition[], flushes: boolean): boolean {
    if (performance.now() < this.againAt) return false;
    try {
      if (this.move(partitions, flushes)) return true;
      // Less may have room.
      if (partitions.length > 1 && this.move(partitions.slice(0, 1), flushes)) return true;
    } catch (error) {
      // The records are in the journal, so what has failed here is not what was asked for.
      if (!(error instanceof LogError && error.canRetry)) throw error;
      this.options.onFault(error);
    }
    this.againAt = performance.now() + AGAIN_MS;
    return false;
  }

  /** Moves all or none; false when the disk has no room. @param flushes also what makes no full block. */
  private move(partitions: readonly Partition[], flushes: boolean): boolean {
    const { environment, journal, room, syncPoints } = this.options;
    const moves = partitions.map((partition) => ({ partition, move: partition.run.move(flushes) }));
    const put = moves.flatMap(({ partition, move }) => move.put.map((block) => ({ partition, ...block })));
    const bytes = put.reduce((sum, { block }) => sum + block.length, 0);
    if (!room.takes(bytes, put.length + 1)) return false;
    const note = journal.note();
    environment.transact(() => {
      for (const { partition, key, block, replaces } of put)
        if (!partition.db.putSync(key, block, replaces ? REPLACE : APPEND))
          throw new Error(`offset ${key} of ${partition.name} is taken`);
      note.put();
    });
    note.done();
    for (const { partition, move } of moves) {
      partition.run.moved(move);
      if (!partition.run.hasFullBlocks) this.full.delete(partition);
    }
    syncPoints.touch();
    return true;
  }
}
