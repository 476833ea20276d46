/** Appends the sender's records, in batches: what comes while one batch is being appended makes the next. */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { AppendRecord, EventLog } from '#infra/log/log';
import { mayPass, retry } from '#infra/retry';
import type { Health } from '#infra/telemetry/health';
import { partitionOf } from '#schemas/topics/topic';
import { attemptTopic, type DeliveryAttempt, type DeliveryProgress, progressTopic } from '#schemas/topics/webhooks';

const BATCH_MAX = 1_000;
/** So long after the log took a record no other process can have the lease: it waits for ten seconds of silence. */
const HOLDER_FOR_MS = 5_000;

export interface WriterContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly health: Health;
  /** Part of `/health`. */
  readonly part: string;
  /** Ends the retries: what was not taken then rejects. */
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly attempt: DeliveryAttempt;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export class RecordsWriter {
  private readonly context: WriterContext;
  private waiting: Waiting[] = [];
  private writing: Promise<void> | null = null;
  /** Ends with the note at hand, which the next one must not overtake. */
  private noting: Promise<unknown> = Promise.resolve();
  /** Records of a partition must not go back in time. */
  private newest = 0;
  /** When the append began that was taken last. */
  private takenAt = { wall: Number.NEGATIVE_INFINITY, monotonic: Number.NEGATIVE_INFINITY };

  constructor(context: WriterContext) {
    this.context = context;
  }

  /** Records of this time stand in the log already. */
  follow(newest: number): void {
    this.newest = Math.max(this.newest, newest);
  }

  /**
   * Whether this process certainly still has the lease. It may have been stopped at any time without noticing, and the
   * log refuses records only when there are some. By both clocks: one stops with the machine, the other may be set back.
   */
  get isHolder(): boolean {
    const { wall, monotonic } = this.takenAt;
    return Math.max(Date.now() - wall, performance.now() - monotonic) < HOLDER_FOR_MS;
  }

  /** Resolves once the attempt stands in the log. Its callers are bounded by the slots that they hold. */
  write(attempt: DeliveryAttempt): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ attempt, done, failed });
      this.writing ??= this.writeAll();
    });
  }

  /** Notes how far the partitions are settled. */
  note(progress: readonly (DeliveryProgress & { readonly partition: number })[]): Promise<void> {
    const noted = this.noting.then(() => this.append(progress.map((one) => this.progressRecordOf(one))));
    this.noting = noted.catch(() => {});
    return noted;
  }

  private async writeAll(): Promise<void> {
    // What ends in the same turn of the event loop goes into the same batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, BATCH_MAX);
      try {
        await this.append(batch.map(({ attempt }) => this.recordOf(attempt)));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
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
    const { log, logger, health, part, signal } = this.context;
    const attempt = async () => {
      // Not when it was answered: the answer may have waited for as long as this process was stopped.
      const begunAt = { wall: Date.now(), monotonic: performance.now() };
      await log.append(records);
      this.takenAt = begunAt;
    };
    return retry(attempt, {
      canRetry: (error) => mayPass(error) && !signal.aborted,
      onFailure: (error, failures) => {
        if (failures === 1) logger.error({ error }, 'attempts to deliver webhooks cannot be recorded; trying again');
        health.degraded(part, 'attempts to deliver webhooks cannot be recorded');
      },
      onRecovered: () => health.ready(part),
      signal,
    });
  }
}
