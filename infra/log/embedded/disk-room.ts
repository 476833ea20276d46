/**
 * Refuses appends and moves into the trees before the disk is full to the last byte. What is left then lets retention and
 * compaction go on, whose deletions need new pages first, and keeps LMDB from failing in the middle of a write.
 *
 * A failed write of LMDB must not happen at all: `lmdb` (3.5.6) tells of it in a buffer of 100 bytes that the numbers of a large
 * file overrun, which breaks the heap of the process and ends it at some later moment. Whoever else uses the disk may
 * fill it at any time, so what a move may make the file grow by is taken from the disk, as zeros behind the last page,
 * before the move is let through. The journal takes room in the same way, but a write of its own may fail: it is undone.
 */
import { statSync } from 'node:fs';
import { extend, freeBytes } from './disk-space.ts';
import type { LogEnvironment } from './environment.ts';

/** The disk is looked at again after this many bytes, or this much time. */
const LOOK_BYTES = 1024 * 1024;
const LOOK_MS = 50;
/** Pages are not filled to the brim. */
const WASTE = 2;
/** A move writes the path to the end of each partition anew: so many pages, of the largest usual size. */
const PATH_BYTES = 4 * 4_096;
/** The file begins with two pages that say where everything is. */
const META_PAGES = 2;
/** Taken beyond what moves need, for what else is written: committed offsets, new topics, deletions. */
const SPARE_BYTES = 1024 * 1024;
/** Above the reserve: the largest append takes less. */
const NEARLY_FULL_BYTES = 64 * 1024 * 1024;

export interface DiskRoomOptions {
  readonly environment: LogEnvironment;
  /** The data file of the log. */
  readonly file: string;
  /** What stays free for deletions. */
  readonly reserveBytes: number;
  /** Every named database of the environment. */
  readonly databases: () => readonly { getStats(): object }[];
}

export class DiskRoom {
  private readonly options: DiskRoomOptions;
  /** What may be put into the trees before the disk is looked at again. */
  private budget = 0;
  private lookedAt = Number.NEGATIVE_INFINITY;
  /** The disk may be short soon, so what could be reused then is looked up. */
  private nearlyFull = false;
  /** Bytes of such pages, as far as is known. */
  private reusable = 0;

  constructor(options: DiskRoomOptions) {
    this.options = options;
  }

  /**
   * Whether the journal may take so many bytes more of the disk. Where the disk holds nothing but the reserve, it may if
   * what it holds can move into pages of the data file that became free.
   * @param waiting bytes of the journal that are not in the trees.
   */
  mayGrow(bytes: number, waiting: number): boolean {
    return this.beyondReserve(bytes) >= bytes || this.reusable >= waiting + bytes;
  }

  /** Whether blocks of so many bytes, of so many partitions, may be put into the trees. */
  takes(bytes: number, partitions: number): boolean {
    const needed = bytes * WASTE + partitions * PATH_BYTES;
    if (this.budget < needed || performance.now() - this.lookedAt > LOOK_MS) this.look(needed);
    if (this.budget < needed) return false;
    this.budget -= needed;
    this.reusable = Math.max(0, this.reusable - needed);
    return true;
  }

  /**
   * Called when a sync point begins; gives what to call once it is made. LMDB writes to no page that the sync point
   * before leads to, so what is free now can only be written to from then on.
   */
  beforeSyncPoint(): () => void {
    if (!this.nearlyFull) return () => {};
    const free = this.freeInsideBytes();
    return () => {
      this.reusable = free;
      this.lookedAt = Number.NEGATIVE_INFINITY;
    };
  }

  private look(needed: number): void {
    this.lookedAt = performance.now();
    const beyondReserve = this.beyondReserve(needed);
    const isShort = beyondReserve < needed;
    // Pages that became free may lie too scattered for a large record: then the file grows all the same.
    const wanted = Math.min(Math.max(LOOK_BYTES, needed), isShort ? this.reusable : beyondReserve);
    this.budget = Math.min(wanted, this.takeAhead(wanted + SPARE_BYTES));
  }

  /** Bytes of the disk that are free beyond the reserve; notes whether more may be short soon. */
  private beyondReserve(needed: number): number {
    const bytes = freeBytes(this.options.file) - this.options.reserveBytes;
    this.nearlyFull = bytes < Math.max(needed, NEARLY_FULL_BYTES);
    return bytes;
  }

  /** Makes the file reach so many bytes beyond its last page, as far as the disk has them; gives how many it reaches. */
  private takeAhead(bytes: number): number {
    const { environment, file } = this.options;
    const { pageSize, lastPageNumber } = environment.root.getStats() as RootStats;
    const used = (lastPageNumber + 1) * pageSize;
    // Only ever behind the end of the file, where no page can be.
    const size = statSync(file).size;
    if (size < used + bytes) extend(file, size, used + bytes);
    return statSync(file).size - used;
  }

  /** Pages of the file that hold nothing any more: what retention gave back. */
  private freeInsideBytes(): number {
    const { pageSize, lastPageNumber, root, free } = this.options.environment.root.getStats() as RootStats;
    let used = META_PAGES + pagesOf(root) + pagesOf(free);
    for (const database of this.options.databases()) used += pagesOf(database.getStats() as TreeStats);
    return (lastPageNumber + 1 - used) * pageSize;
  }
}

interface TreeStats {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

interface RootStats extends TreeStats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly root: TreeStats;
  readonly free: TreeStats;
}

/** Pages that a tree takes. */
export function pagesOf(stats: TreeStats): number {
  return stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages;
}
