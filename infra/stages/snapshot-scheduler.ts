import type { Logger } from 'pino';
import { isTransient } from '../retry.ts';
import type { CutStore } from './cuts.ts';
import type { StagePosition } from './snapshot.ts';
import type { SnapshotStore } from './snapshots.ts';

/**
 * A snapshot is taken when this many events were stepped since the last, and not more often than the interval. Whatever
 * came since is stepped again after a crash, while more arrives: a restart takes some two or three times as long.
 */
const SNAPSHOT_EVENTS = 20_000;
const SNAPSHOT_INTERVAL_MS = 3_000;
/** But at least so often while there are events: what came since must not have been compacted away when it is taken again. */
const SNAPSHOT_INTERVAL_MAX_MS = 600_000;
/**
 * Retention goes by the time of the append, so cuts that lie closer together there are of no use: a recording has
 * hundreds of midnights within seconds.
 */
const CUT_INTERVAL_MIN_MS = 3_600_000;
/**
 * A large state is snapshotted less often: so many compressed bytes a second take some five percent of a core. Counted
 * in bytes and not by the clock, since a busy machine would make snapshots rare just when much comes in between them.
 */
const SNAPSHOT_BYTES_PER_SECOND = 350_000;

export interface SnapshotTakerOptions<S> {
  readonly state: S;
  readonly newest: SnapshotStore<S>;
  readonly cuts: CutStore<S>;
  readonly stage: string;
  readonly logger: Logger;
  /** Wall time between two cuts; for tests. */
  readonly cutIntervalMinMs?: number;
}

/** Decides when a stage is snapshotted. */
export class SnapshotTaker<S> {
  private readonly options: SnapshotTakerOptions<S>;
  private steppedSince = 0;
  /** A copy that is being written; never rejects. */
  private saving: Promise<void> | null = null;
  /** Why one could not be written, where trying again does not help. */
  private fault: unknown = null;
  private savedAt = Date.now();
  /** Wall time of the last cut of this run. */
  private cutAt = Number.NEGATIVE_INFINITY;
  private dueAt = Date.now() + SNAPSHOT_INTERVAL_MS;

  constructor(options: SnapshotTakerOptions<S>) {
    this.options = options;
  }

  stepped(records: number): void {
    this.steppedSince += records;
  }

  /**
   * Resolves once the state may go on changing: its copy is compressed and written while the stage goes on, which for a
   * large one takes seconds. Rejects where the one before could not be written for good.
   */
  async saveWhenDue(standing: () => StagePosition): Promise<void> {
    if (this.fault !== null) throw this.fault;
    const now = Date.now();
    if (this.saving !== null || now < this.dueAt) return;
    if (this.steppedSince < SNAPSHOT_EVENTS && now < this.savedAt + SNAPSHOT_INTERVAL_MAX_MS) return;
    if (this.steppedSince === 0) return;
    await new Promise<void>((resolve) => {
      this.saving = this.save(standing(), resolve)
        .catch((error: unknown) => {
          this.fault = error;
        })
        .finally(() => {
          this.saving = null;
          resolve();
        });
    });
  }

  /** Resolves once all that was stepped is in a snapshot that is written. */
  async saveIfStepped(standing: () => StagePosition): Promise<void> {
    await this.saving;
    if (this.fault !== null) throw this.fault;
    if (this.steppedSince > 0) await this.save(standing());
  }

  private async save(standing: StagePosition, onCopied?: () => void): Promise<void> {
    const { newest, state } = this.options;
    const stepped = this.steppedSince;
    this.steppedSince = 0;
    const bytes = await this.attempt(() => newest.save({ ...standing, state }, onCopied));
    if (bytes === null) this.steppedSince += stepped;
    else this.savedAt = Date.now();
    this.dueAt = Date.now() + SNAPSHOT_INTERVAL_MS + ((bytes ?? 0) * 1_000) / SNAPSHOT_BYTES_PER_SECOND;
  }

  /** Rejects where the log does not take it: a midnight comes once. @param at the midnight. */
  async cut(at: number, standing: StagePosition): Promise<void> {
    const { cuts, state, cutIntervalMinMs = CUT_INTERVAL_MIN_MS } = this.options;
    if (Date.now() - this.cutAt < cutIntervalMinMs) return;
    await cuts.save(at, { ...standing, state });
    this.cutAt = Date.now();
  }

  /** A snapshot only shortens what is done later: one that cannot be taken now is left for the next time (null). */
  private async attempt(save: () => Promise<number>): Promise<number | null> {
    const { logger, stage } = this.options;
    try {
      return await save();
    } catch (error) {
      if (!isTransient(error)) throw error;
      logger.warn({ stage, error }, 'no snapshot was taken; later');
      return null;
    }
  }
}
