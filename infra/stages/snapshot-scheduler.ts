import type { Logger } from 'pino';
import { isTransient } from '../runtime/retry.ts';
import type { DailyCheckpointStore } from './daily-checkpoints.ts';
import type { StagePosition } from './snapshot.ts';
import type { SnapshotStore } from './snapshots.ts';

/**
 * A snapshot is due after this many records, and not more often than the interval. Records since then are processed again
 * after a crash, while more arrive: a restart takes two or three times as long.
 */
const SNAPSHOT_RECORDS = 20_000;
const SNAPSHOT_INTERVAL_MS = 3_000;
/**
 * Maximum interval while there are records: records that are to be processed again must not have been compacted away.
 */
const SNAPSHOT_INTERVAL_MAX_MS = 600_000;
/**
 * Retention goes by append time, so daily checkpoints that are closer together in wall time are useless: a recording
 * has hundreds of midnights within seconds.
 */
const DAILY_CHECKPOINT_INTERVAL_MIN_MS = 3_600_000;
/**
 * A large state is stored less often: compressing this many bytes a second costs about five percent of a core. Counted
 * in bytes and not in time, since a busy machine would otherwise make snapshots rare when much arrives between them.
 */
const SNAPSHOT_BYTES_PER_SECOND = 350_000;

export interface SnapshotSchedulerOptions<S> {
  readonly state: S;
  readonly newest: SnapshotStore<S>;
  readonly dailyCheckpoints: DailyCheckpointStore<S>;
  readonly stage: string;
  readonly logger: Logger;
  /** Minimum wall time between two daily checkpoints; for tests. */
  readonly dailyCheckpointIntervalMinMs?: number;
}

/** Decides when a stage stores a snapshot. */
export class SnapshotScheduler<S> {
  private readonly options: SnapshotSchedulerOptions<S>;
  private processedSince = 0;
  /** The snapshot that is being written; never rejects. */
  private saving: Promise<void> | null = null;
  /** The error of a snapshot that could not be written and for which a retry does not help. */
  private fault: unknown = null;
  private savedAt = Date.now();
  /** Wall time of the last daily checkpoint of this run. */
  private dailyCheckpointSavedAt = Number.NEGATIVE_INFINITY;
  private dueAt = Date.now() + SNAPSHOT_INTERVAL_MS;

  constructor(options: SnapshotSchedulerOptions<S>) {
    this.options = options;
  }

  processed(records: number): void {
    this.processedSince += records;
  }

  /**
   * Saves a snapshot if one is due. Resolves once the state may change again: its copy is compressed and written in the
   * background, which takes seconds for a large one. Rejects if the previous snapshot failed for good.
   */
  async saveWhenDue(checkpoint: () => StagePosition): Promise<void> {
    if (this.fault !== null) throw this.fault;
    const now = Date.now();
    if (this.saving !== null || now < this.dueAt) return;
    if (this.processedSince < SNAPSHOT_RECORDS && now < this.savedAt + SNAPSHOT_INTERVAL_MAX_MS) return;
    if (this.processedSince === 0) return;
    await new Promise<void>((resolve) => {
      this.saving = this.save(checkpoint(), resolve)
        .catch((error: unknown) => {
          this.fault = error;
        })
        .finally(() => {
          this.saving = null;
          resolve();
        });
    });
  }

  /** Resolves once everything that was processed is in a stored snapshot. */
  async flush(checkpoint: () => StagePosition): Promise<void> {
    await this.saving;
    if (this.fault !== null) throw this.fault;
    if (this.processedSince > 0) await this.save(checkpoint());
  }

  private async save(checkpoint: StagePosition, onCopied?: () => void): Promise<void> {
    const { newest, state } = this.options;
    const processed = this.processedSince;
    this.processedSince = 0;
    const bytes = await this.attempt(() => newest.save({ ...checkpoint, state }, onCopied));
    if (bytes === null) this.processedSince += processed;
    else this.savedAt = Date.now();
    this.dueAt = Date.now() + SNAPSHOT_INTERVAL_MS + ((bytes ?? 0) * 1_000) / SNAPSHOT_BYTES_PER_SECOND;
  }

  /**
   * Stores a daily checkpoint. Rejects if the log refuses it, since a midnight occurs only once.
   * @param at the midnight.
   */
  async saveDailyCheckpoint(at: number, checkpoint: StagePosition): Promise<void> {
    const { dailyCheckpoints, state, dailyCheckpointIntervalMinMs = DAILY_CHECKPOINT_INTERVAL_MIN_MS } = this.options;
    if (Date.now() - this.dailyCheckpointSavedAt < dailyCheckpointIntervalMinMs) return;
    await dailyCheckpoints.save(at, { ...checkpoint, state });
    this.dailyCheckpointSavedAt = Date.now();
  }

  /** Returns null if the save failed temporarily: a snapshot only shortens a restart, so the next one replaces it. */
  private async attempt(save: () => Promise<number>): Promise<number | null> {
    const { logger, stage } = this.options;
    try {
      return await save();
    } catch (error) {
      if (!isTransient(error)) throw error;
      logger.warn({ stage, error }, 'snapshot failed, will retry');
      return null;
    }
  }
}
