/**
 * Refuses appends and moves into the trees before the disk is completely full. The rest of the space lets retention and
 * compaction continue, whose deletions need new pages first, and prevents LMDB from failing in the middle of a write.
 *
 * A failed write of LMDB must never happen: `lmdb` (3.5.6) formats its error in a buffer of 100 bytes that the numbers
 * of a large file overrun, which corrupts the heap of the process and ends it at some later moment. Other processes may
 * fill the disk at any time. So before a move, the space by which it may grow the file is reserved as zeros behind the
 * last page. The journal reserves space in the same way, but its own writes may fail: they are undone.
 */
import { statSync } from 'node:fs';
import { freeBytes } from '../../runtime/free-bytes.ts';
import { extend } from './disk-space.ts';
import type { LogEnvironment } from './environment.ts';
import { pagesOf, type TreeStats } from './tree-stats.ts';

/** Free space is checked again after this many bytes, or this much time. */
const CHECK_BYTES = 1024 * 1024;
const CHECK_MS = 50;
/** Factor for pages that are not completely filled. */
const WASTE = 2;
/** A move rewrites the path to the end of each partition: this many pages, of the largest usual size. */
const PATH_BYTES = 4 * 4_096;
/** The file starts with two meta pages. */
const META_PAGES = 2;
/** Reserved in addition to what moves need, for other writes: committed offsets, new topics, deletions. */
const SPARE_BYTES = 1024 * 1024;
/** Free space above the reserve below which the disk counts as nearly full; the largest append needs less. */
const NEARLY_FULL_BYTES = 64 * 1024 * 1024;

export interface DiskRoomOptions {
  readonly environment: LogEnvironment;
  /** The data file of the log. */
  readonly file: string;
  /** Bytes that stay free for deletions. */
  readonly reserveBytes: number;
  /** Bytes of the pages of every named database of the environment. */
  readonly usedBytes: () => number;
}

export class DiskRoom {
  private readonly options: DiskRoomOptions;
  /** Bytes that may be put into the trees before the disk is checked again. */
  private budget = 0;
  private checkedAt = Number.NEGATIVE_INFINITY;
  /** True if the disk may be full soon; reusable pages are then counted. */
  private nearlyFull = false;
  /** Bytes of reusable pages, as far as known. */
  private reusable = 0;

  constructor(options: DiskRoomOptions) {
    this.options = options;
  }

  /**
   * True if the journal may use this many more bytes of the disk. If only the reserve is free, it may do so as long as
   * its contents can move into free pages of the data file.
   * @param waiting bytes of the journal that are not in the trees.
   */
  mayGrow(bytes: number, waiting: number): boolean {
    return this.beyondReserve(bytes) >= bytes || this.reusable >= waiting + bytes;
  }

  /** Reserves space for blocks of this many bytes, of this many partitions; false if there is not enough. */
  reserve(bytes: number, partitions: number): boolean {
    const needed = bytes * WASTE + partitions * PATH_BYTES;
    if (this.budget < needed || performance.now() - this.checkedAt > CHECK_MS) this.checkDisk(needed);
    if (this.budget < needed) return false;
    this.budget -= needed;
    this.reusable = Math.max(0, this.reusable - needed);
    return true;
  }

  /**
   * Called when a sync point starts; returns a function to call when it is complete. LMDB does not write to pages of
   * the previous sync point, so pages that are free now can only be written after this one.
   */
  beforeSyncPoint(): () => void {
    if (!this.nearlyFull) return () => {};
    const free = this.freeInsideBytes();
    return () => {
      this.reusable = free;
      this.checkedAt = Number.NEGATIVE_INFINITY;
    };
  }

  private checkDisk(needed: number): void {
    this.checkedAt = performance.now();
    const beyondReserve = this.beyondReserve(needed);
    const isShort = beyondReserve < needed;
    // Free pages may be too scattered for a large record: then the file grows nevertheless.
    const wanted = Math.min(Math.max(CHECK_BYTES, needed), isShort ? this.reusable : beyondReserve);
    this.budget = Math.min(wanted, this.preallocate(wanted + SPARE_BYTES));
  }

  /** Returns the free bytes beyond the reserve; notes whether the disk is nearly full. */
  private beyondReserve(needed: number): number {
    const bytes = freeBytes(this.options.file) - this.options.reserveBytes;
    this.nearlyFull = bytes < Math.max(needed, NEARLY_FULL_BYTES);
    return bytes;
  }

  /** Extends the file this many bytes beyond its last page, as far as the disk has space; returns how many it got. */
  private preallocate(bytes: number): number {
    const { environment, file } = this.options;
    const { pageSize, lastPageNumber } = environment.root.getStats() as RootStats;
    const used = (lastPageNumber + 1) * pageSize;
    // Only behind the end of the file, where no page can be.
    const size = statSync(file).size;
    if (size < used + bytes) extend(file, size, used + bytes);
    return statSync(file).size - used;
  }

  /** Bytes of free pages in the file, released by retention. */
  private freeInsideBytes(): number {
    const { pageSize, lastPageNumber, root, free } = this.options.environment.root.getStats() as RootStats;
    const ownPages = META_PAGES + pagesOf(root) + pagesOf(free);
    return (lastPageNumber + 1 - ownPages) * pageSize - this.options.usedBytes();
  }
}

interface RootStats extends TreeStats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly root: TreeStats;
  readonly free: TreeStats;
}
