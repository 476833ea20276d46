/**
 * Makes a loss of power leave a consistent earlier state, without any append waiting for the disk.
 *
 * A commit writes new pages beside the old ones and then one of the two meta pages at the head of the file, which names
 * the root of everything. None of that is flushed, so after a loss of power a meta page may be on the disk whose pages
 * are not. A **sync point** is a commit that is known to be completely on the disk:
 *
 * 1. a read transaction is opened, which keeps LMDB from writing over any page of the newest commit, and the two meta
 *    pages are copied;
 * 2. the data file and the journal are flushed, off the event loop, while appends go on;
 * 3. the copied meta pages are written to the file `sync-point` and flushed;
 * 4. the read transaction of the previous sync point is ended, and files of the journal are removed whose records were all
 *    in the trees of the commit.
 *
 * When the log is opened after the machine was restarted, the meta pages of the newest sync point are restored:
 * every page that they reference is unchanged. Records that were not in the trees by then are in the journal, with later
 * ones as far as they reached the disk. If only the process crashed, the system has retained its writes, and the
 * newest commit stays.
 */
import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readSync,
  write,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Transaction } from 'lmdb';
import { bootId } from './boot-id.ts';
import { DATA_FILE, type LogEnvironment } from './environment.ts';
import { META_PAGES, packSlot, readSyncPoint, SLOTS, type SyncPoint, slotAt, slotBytes } from './sync-point-file.ts';

/** Interval of sync points: a loss of power may lose the appends of this time and of one flush. */
const INTERVAL_MS = 100;
const SYNC_FILE = 'sync-point';

const flush = promisify(fdatasync);
const writeAt = promisify(write);

/** True if the machine was restarted since the newest sync point, so that later changes may be lost. */
export function wasPowerLost(path: string, boot: string = bootId()): boolean {
  return lostPoint(path, boot) !== null;
}

/**
 * Restores the newest sync point if the machine was restarted since; returns true if it did. No other process may have
 * the environment open.
 */
export function restoreAfterPowerLoss(path: string, boot: string = bootId()): boolean {
  const point = lostPoint(path, boot);
  if (!point) return false;
  const data = openSync(join(path, DATA_FILE), 'r+');
  try {
    writeSync(data, point.meta, 0, point.meta.length, 0);
    fdatasyncSync(data);
  } finally {
    closeSync(data);
  }
  return true;
}

function lostPoint(path: string, boot: string): SyncPoint | null {
  const file = join(path, SYNC_FILE);
  if (!existsSync(file) || !existsSync(join(path, DATA_FILE))) return null;
  const point = readSyncPoint(file);
  return point && point.boot !== boot ? point : null;
}

export interface SyncPointsOptions {
  readonly environment: LogEnvironment;
  readonly path: string;
  /** Flushes the journal; called for each sync point. */
  readonly flushJournal: () => Promise<void>;
  /** Called when a sync point starts; the returned function is called when it is complete. */
  readonly onBegin: () => () => Promise<void>;
  /** Called if a background sync point fails; the next write tries again. */
  readonly onFault: (error: unknown) => void;
  readonly boot?: string;
}

/** Makes sync points soon after writes. */
export class SyncPoints {
  private readonly options: SyncPointsOptions;
  private readonly boot: string;
  private readonly pageBytes: number;
  private readonly data: number;
  private readonly file: number;
  private generation: number;
  private pinned: Transaction | null = null;
  private synced = -1;
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(options: SyncPointsOptions) {
    const { environment, path, boot = bootId() } = options;
    this.options = options;
    this.boot = boot;
    this.pageBytes = (environment.root.getStats() as { pageSize: number }).pageSize;
    this.data = openSync(join(path, DATA_FILE), 'r');
    const file = join(path, SYNC_FILE);
    const exists = existsSync(file);
    this.generation = exists ? (readSyncPoint(file)?.generation ?? 0) : 0;
    this.file = openSync(file, exists ? 'r+' : 'w+');
    if (!exists) this.allocate();
    syncFolder(path);
  }

  /** Call after a write. */
  touch(): void {
    if (this.timer || this.closed) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.make().catch(this.options.onFault);
    }, INTERVAL_MS);
    this.timer.unref();
  }

  /** Number of the transaction of the newest sync point. */
  get transaction(): number {
    return this.synced;
  }

  /** Resolves when everything written until now would survive a loss of power. */
  make(): Promise<void> {
    const run = this.running.then(() => this.makeOne());
    this.running = run.catch(() => {});
    return run;
  }

  /** Makes the last sync point and closes the files. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    try {
      await this.make();
    } finally {
      this.pinned?.done();
      this.pinned = null;
      closeSync(this.data);
      closeSync(this.file);
    }
  }

  private async makeOne(): Promise<void> {
    const { environment, onBegin, flushJournal: flushBeside } = this.options;
    const newest = environment.newestTransaction();
    // The callback must see the trees as they are now.
    environment.root.resetReadTxn();
    const onMade = onBegin();
    if (newest === this.synced) await flushBeside();
    else {
      const pin = environment.root.useReadTransaction();
      try {
        await this.write();
      } catch (error) {
        pin.done();
        throw error;
      }
      this.synced = newest;
      this.pinned?.done();
      this.pinned = pin;
    }
    await onMade();
  }

  private async write(): Promise<void> {
    const meta = Buffer.alloc(META_PAGES * this.pageBytes);
    // Before any other commit: these are the meta pages of the pinned transaction.
    readSync(this.data, meta, 0, meta.length, 0);
    await Promise.all([flush(this.data), this.options.flushJournal()]);
    const generation = this.generation + 1;
    const slot = packSlot({ generation, boot: this.boot, meta });
    await writeAt(this.file, slot, 0, slot.length, slotAt(generation));
    await flush(this.file);
    this.generation = generation;
  }

  /** Reserves the disk space of both slots now: a sync point must not fail because the disk became full. */
  private allocate(): void {
    const blank = Buffer.alloc(slotBytes(this.pageBytes));
    for (let slot = 0; slot < SLOTS; slot += 1) writeSync(this.file, blank, 0, blank.length, slotAt(slot));
    fdatasyncSync(this.file);
  }
}

/** A new file only survives a loss of power if its folder was flushed too. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
