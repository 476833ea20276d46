/** Appends the sender's records, in batches: what comes while one batch is being appended makes the next. */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { AppendRecord, EventLog } from '#infra/log/log';
import { mayPass, retry } from '#infra/retry';
import type { Health } from '#infra/telemetry/health';
import { partitionOf } from '#schemas/topics/topic';
import { attemptTopic, type DeliveryAttempt, type DeliveryProgress, progressTopic } from '#schemas/topics/webhooks';

const BATCH_MAX = 1_000;

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
  /** Records of a partition must not go back in time. */
  private newest = 0;

  constructor(context: WriterContext) {
    this.context = context;
  }

  /** Records of this time stand in the log already. */
  follow(newest: number): void {
    this.newest = Math.max(this.newest, newest);
  }

  /** Resolves once the attempt stands in the log. Its callers are bounded by the slots that they hold. */
  write(attempt: DeliveryAttempt): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ attempt, done, failed });
      this.writing ??= this.writeAll();
    });
  }

  /** Notes how far the partitions are settled. */
  async note(progress: readonly (DeliveryProgress & { readonly partition: number })[]): Promise<void> {
    const { codec } = this.context;
    const records = progress.map(({ partition, offset, appendedAt }) => ({
      topic: progressTopic.name,
      partition,
      key: 'progress',
      value: codec.encode(progressTopic, { offset, appendedAt }),
      receivedAt: this.now(),
      seq: 0,
    }));
    await this.append(records);
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

  private now(): number {
    this.newest = Math.max(this.newest, Date.now());
    return this.newest;
  }

  private append(records: readonly AppendRecord[]): Promise<void> {
    const { log, logger, health, part, signal } = this.context;
    return retry(() => log.append(records), {
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
