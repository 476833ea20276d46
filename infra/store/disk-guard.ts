/**
 * Keeps rows safe on a full disk. The embedded engine (chDB 3.4.0) does not notice that a write failed because the disk
 * is full: it acknowledges an insert, and ends a merge, although the files of the new part are empty. Only when it loads
 * the table the next time, it sets such a part aside and uses the sources of the merge again, if it still has them: its
 * default is to delete them at once.
 *
 * | free on the disk | what happens |
 * |---|---|
 * | less than `RESERVE_BYTES` | The engine itself starts no insert and no merge (`ENGINE_CONFIG`). |
 * | less than `SAFE_BYTES` | Another process uses up the reserve, and a running write may have failed: inserts are refused, those that were running too, and the tables are loaded again at once. |
 */
import { RESERVE_BYTES } from '../runtime/free-bytes.ts';
import { StoreError } from './store.ts';

export const SAFE_BYTES = RESERVE_BYTES / 2;
const INTERVAL_MS = 250;

/** For how long the engine stores the sources of a merge: longer than a query runs, for which a reload waits. */
export const MERGED_SECONDS = 120;

/** The engine's configuration file. */
export const ENGINE_CONFIG = `<clickhouse>
  <storage_configuration>
    <disks><default><keep_free_space_bytes>${RESERVE_BYTES}</keep_free_space_bytes></default></disks>
  </storage_configuration>
  <merge_tree><old_parts_lifetime>${MERGED_SECONDS}</old_parts_lifetime></merge_tree>
</clickhouse>
`;

/**
 * - `safe`: no write can have failed.
 * - `suspect`: less than `SAFE_BYTES` were free since the tables were loaded.
 * - `waiting`: the tables were loaded again, and the disk is still full.
 */
type State = 'safe' | 'suspect' | 'waiting';

export interface DiskGuardOptions {
  /** Free bytes of the disk of the data directory. */
  readonly freeBytes: () => number;
  /** Loads every table from the disk again while no other call runs. */
  readonly reloadTables: () => Promise<void>;
}

export class DiskGuard {
  private readonly options: DiskGuardOptions;
  private readonly timer: NodeJS.Timeout;
  private state: State = 'safe';
  private reloading: Promise<void> | null = null;
  /** Why the tables could not be loaded again. */
  private fault: unknown = null;

  constructor(options: DiskGuardOptions) {
    this.options = options;
    this.timer = setInterval(() => this.check(), INTERVAL_MS).unref();
  }

  /**
   * Runs an insert. Rejects with `store_full` before it if the disk is full, and after it if the disk became so
   * meanwhile: then the rows may be stored or not.
   */
  async insert(work: () => Promise<unknown>): Promise<void> {
    this.assertSafe();
    await work();
    this.assertSafe();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.reloading;
  }

  private assertSafe(): void {
    this.check();
    if (this.state === 'safe') return;
    const message = `less than ${SAFE_BYTES / 2 ** 20} MiB are free on the disk of the store`;
    if (this.fault === null) throw new StoreError('store_full', message);
    throw new StoreError('store_full', `${message}, and its tables could not be loaded again`, { cause: this.fault });
  }

  private check(): void {
    const isLow = this.isLow();
    if (isLow && this.state === 'safe') this.state = 'suspect';
    if (!isLow && this.state === 'waiting') this.state = 'safe';
    if (this.state === 'suspect') this.reloading ??= this.reload();
  }

  /** A disk that cannot be queried counts as full. */
  private isLow(): boolean {
    try {
      return this.options.freeBytes() < SAFE_BYTES;
    } catch (error) {
      this.fault = error;
      return true;
    }
  }

  /** Never rejects: the next check repeats what failed. */
  private async reload(): Promise<void> {
    try {
      await this.options.reloadTables();
      this.state = 'waiting';
      this.fault = null;
    } catch (error) {
      this.fault = error;
    } finally {
      this.reloading = null;
    }
  }
}
