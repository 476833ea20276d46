/** Appends the sender's records in batches: records that arrive during an append form the next batch. */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { AppendRecord, EventLog } from '#infra/log/log';
import { isTransient } from '#infra/runtime/retry';
import type { OpenProblems } from '#infra/telemetry/open-problems';
import { partitionOf } from '#schemas/topics/topic';
import { attemptTopic, type DeliveryAttempt, type DeliveryProgress, progressTopic } from '#schemas/topics/webhooks';

const BATCH_MAX = 1_000;
/**
 * Within this time after an accepted append no other process can have the lease: it waits for ten seconds of silence.
 */
const LEASE_CERTAIN_MS = 5_000;

export interface WriterContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly problems: OpenProblems;
  /** Stops the retries: pending appends then reject. */
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly attempt: DeliveryAttempt;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class RecordsWriter {
  private readonly context: WriterContext;
  private waiting: Waiting[] = [];
  private writing: Promise<void> | null = null;
  /** The last write of progress, which the next one must not overtake. */
  private lastProgressWrite: Promise<unknown> = Promise.resolve();
  /** Records of a partition must not go back in time. */
  private newest = 0;
  /** Start time of the last accepted append. */
  private lastAppendAt = { wall: Number.NEGATIVE_INFINITY, monotonic: Number.NEGATIVE_INFINITY };

  constructor(context: WriterContext) {
    this.context = context;
  }

  /** Sets the time that later records must not be older than. */
  startAfter(newest: number): void {
    this.newest = Math.max(this.newest, newest);
  }

  /**
   * True if this process certainly still holds the lease. It may have been paused at any time without noticing, and the
   * log refuses records only when there are some. Both clocks are checked: one stops with the machine, the other may be
   * set back.
   */
  get holdsLease(): boolean {
    const { wall, monotonic } = this.lastAppendAt;
    return Math.max(Date.now() - wall, performance.now() - monotonic) < LEASE_CERTAIN_MS;
  }

  /**
   * Resolves once the attempt is in the log. The number of callers is bounded: one for each slot, and one batch of
   * deliveries that end unsent (`ATTEMPTS_MAX` and `CANCEL_BATCH` in `limits.ts`).
   */
  write(attempt: DeliveryAttempt): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ attempt, resolve, reject });
      this.writing ??= this.writeAll();
    });
  }

  /** Stores up to where the partitions are finished. */
  writeProgress(progress: readonly (DeliveryProgress & { readonly partition: number })[]): Promise<void> {
    const written = this.lastProgressWrite.then(() => this.append(progress.map((one) => this.progressRecordOf(one))));
    this.lastProgressWrite = written.catch(() => {});
    return written;
  }

  private async writeAll(): Promise<void> {
    // Attempts that end in the same turn of the event loop go into the same batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, BATCH_MAX);
      try {
        await this.append(batch.map(({ attempt }) => this.recordOf(attempt)));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.writing = null;
  }

  private recordOf(attempt: DeliveryAttempt): AppendRecord {
    return {
      topic: attemptTopic.name,
      partition: partitionOf(attempt.webhookId, attemptTopic.partitions),
      key: attempt.webhookId,
      value: this.context.codec.encode(attemptTopic, attempt),
      receivedAt: this.now(),
      seq: 0,
    };
  }

  private progressRecordOf({
    partition,
    ...progress
  }: DeliveryProgress & { readonly partition: number }): AppendRecord {
    return {
      topic: progressTopic.name,
      partition,
      key: 'progress',
      value: this.context.codec.encode(progressTopic, progress),
      receivedAt: this.now(),
      seq: 0,
    };
  }

  private now(): number {
    this.newest = Math.max(this.newest, Date.now());
    return this.newest;
  }

  private append(records: readonly AppendRecord[]): Promise<void> {
    const { log, logger, problems, signal } = this.context;
    const attempt = async () => {
      // The time before the append, not after it: the response may have waited while this process was paused.
      const startedAt = { wall: Date.now(), monotonic: performance.now() };
      await log.append(records);
      this.lastAppendAt = startedAt;
    };
    return problems.retry(attempt, () => 'webhook delivery attempts cannot be recorded', {
      canRetry: (error) => isTransient(error) && !signal.aborted,
      onFailure: (error, failures) => {
        if (failures === 1) logger.error({ error }, 'could not record webhook delivery attempts, retrying');
      },
      signal,
    });
  }
}
