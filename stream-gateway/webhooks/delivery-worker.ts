/**
 * Delivers what is pending in the log and what is appended later. It ends when it is closed, by a fault, or when
 * `derived.deliveries` was rewritten, after which another worker starts.
 */
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { ControlReplica } from '#infra/control/control-replica';
import type { EventLog, LogReader, LogRecord } from '#infra/log/log';
import type { GuardedClient } from '#infra/outbound/guarded-request';
import { isTransient } from '#infra/runtime/retry';
import type { Metrics } from '#infra/telemetry/metrics';
import type { OpenProblems } from '#infra/telemetry/open-problems';
import { type Delivery, type DeliveryProgress, deliveryTopic } from '#schemas/topics/webhooks';
import { Attempts } from './attempts.ts';
import { decodeRecord } from './decode-record.ts';
import { BODIES_PER_WEBHOOK_MAX, CLOSE_GRACE_MS } from './limits.ts';
import { type LoadedPartition, loadPartition, UNTRIED } from './load-pending.ts';
import { LowWatermark } from './low-watermark.ts';
import { type Pending, Queues } from './queues.ts';
import { RecordsWriter } from './records-writer.ts';
import { delayMs, type Schedule } from './schedule.ts';

const POLL_RECORDS = 512;
const POLL_TIMEOUT_MS = 250;
const PROGRESS_INTERVAL_MS = 1_000;
const SWEEP_INTERVAL_MS = 1_000;
/** Instead of `POLL_TIMEOUT_MS` while deliveries of disabled webhooks wait to be finished. */
const SWEEPING_POLL_MS = 1;
const PARTITIONS = Array.from({ length: deliveryTopic.partitions }, (_, partition) => partition);

export interface SenderContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly problems: OpenProblems;
  readonly metrics: Pick<Metrics, 'webhookAttempts' | 'webhooksPending'>;
  readonly control: Pick<ControlReplica, 'state' | 'isCurrent' | 'submit'>;
  readonly client: Pick<GuardedClient, 'post'>;
  readonly schedule: Schedule;
  /** After this time the control state includes every command that led to a delivery; see `Attempts`. */
  readonly cancelAfterMs: number;
}

const unreadable = () => 'webhook deliveries cannot be read';

/** How far this worker is in one partition. */
interface PartitionState {
  readonly lowWatermark: LowWatermark;
  next: number;
  seq: number;
  /** Returns the state of a delivery's earlier attempts. */
  attemptStateOf: LoadedPartition['attemptStateOf'];
  /** The last stored progress, as text. */
  storedText: string;
}

interface ProgressUpdate {
  readonly partition: number;
  readonly state: PartitionState;
  readonly progress: DeliveryProgress;
  readonly text: string;
}

export class DeliveryWorker {
  private readonly context: SenderContext;
  private readonly queues = new Queues();
  private readonly partitions = new Map<number, PartitionState>();
  /** Aborts when the sender closes. */
  private readonly closing: AbortSignal;
  /** Aborts running attempts, and appends that the log does not accept. */
  private readonly aborting = new AbortController();
  private graceTimer: NodeJS.Timeout | undefined;
  private readonly writer: RecordsWriter;
  private readonly attempts: Attempts;
  /** Deliveries of the current batch beyond the bounds of their webhooks. */
  private readonly overflow: Pending[] = [];
  private sweepDueAt = 0;
  /** True while deliveries of disabled webhooks wait to be finished. */
  private isSweeping = false;
  private progressDueAt = 0;

  private constructor(context: SenderContext, closing: AbortSignal) {
    this.context = context;
    this.closing = closing;
    const { signal } = this.aborting;
    // Each running attempt listens to it.
    setMaxListeners(0, signal);
    this.writer = new RecordsWriter({ ...context, signal });
    this.attempts = new Attempts({
      ...context,
      queues: this.queues,
      writer: this.writer,
      signal,
      confirmLease: () => this.confirmLease(),
      onFinished: ({ partition, offset }) => this.partitions.get(partition)!.lowWatermark.finish(offset),
    });
    closing.addEventListener('abort', this.stopGracefully);
    if (closing.aborted) this.stopGracefully();
  }

  /** Resolves once everything in the log is read; rejects if it is closed before. */
  static async open(context: SenderContext, closing: AbortSignal): Promise<DeliveryWorker> {
    const worker = new DeliveryWorker(context, closing);
    try {
      for (const partition of PARTITIONS) await worker.load(partition);
    } catch (error) {
      worker.detach();
      throw error;
    }
    context.metrics.webhooksPending.set(worker.queues.size);
    return worker;
  }

  /** Sends until it is closed or the deliveries turn out to be rewritten (`rewritten`). Rejects on a fault. */
  async run(): Promise<'ended' | 'rewritten'> {
    const from = [...this.partitions].map(([partition, { next }]) => ({
      topic: deliveryTopic.name,
      partition,
      offset: next,
    }));
    const reader = await this.context.log.reader(from);
    const finished = new AbortController();
    const reading = this.read(reader, AbortSignal.any([this.closing, finished.signal]));
    try {
      if (!this.closing.aborted) this.attempts.start();
      return await Promise.race([reading, this.attempts.stopped]);
    } finally {
      this.attempts.stop();
      finished.abort();
      // The first result is returned; the other promise only has to end.
      await reading.catch(() => {});
      await reader.close();
    }
  }

  /** Starts no more attempts, waits a while for running ones, aborts the rest and stores the progress. */
  async end(): Promise<void> {
    // After a fault or a rewrite nobody has aborted `closing`.
    if (!this.closing.aborted) this.stopGracefully();
    await this.attempts.idle();
    this.detach();
    this.aborting.abort();
    // Without it the next start reads more.
    await this.storeProgress().catch((error: unknown) =>
      this.context.logger.warn({ error }, 'could not commit the webhook delivery offset'),
    );
    this.context.metrics.webhooksPending.set(0);
  }

  private readonly stopGracefully = (): void => {
    this.attempts.stop();
    this.graceTimer ??= setTimeout(() => this.aborting.abort(), CLOSE_GRACE_MS);
  };

  private detach(): void {
    this.closing.removeEventListener('abort', this.stopGracefully);
    clearTimeout(this.graceTimer);
  }

  private async load(partition: number): Promise<void> {
    const now = Date.now();
    const lowWatermark = new LowWatermark();
    const overflow: Pending[] = [];
    const state: PartitionState = { lowWatermark, next: 0, seq: 0, attemptStateOf: () => UNTRIED, storedText: '' };
    this.partitions.set(partition, state);
    const loaded = await loadPartition(this.context, partition, ({ delivery, isFinished, attempts, ...at }) => {
      this.closing.throwIfAborted();
      lowWatermark.add(at, isFinished);
      if (isFinished) return;
      const { offset, appendedAt, nextAttemptAt } = at;
      const dueAt = nextAttemptAt ?? now;
      const pending = toPending(delivery, { partition, offset, appendedAt, attempts, dueAt });
      // Beyond the bound only after a time without a sender; the oldest wait, as they would have then.
      if (this.queues.hasRoom(pending.webhookId)) this.attempts.add(pending, null);
      else overflow.push(pending);
    });
    await this.attempts.cancel(overflow, 'overflow');
    state.next = loaded.next;
    state.seq = loaded.seq;
    state.attemptStateOf = loaded.attemptStateOf;
    this.writer.startAfter(loaded.attemptedAt);
  }

  private async read(reader: LogReader, signal: AbortSignal): Promise<'ended' | 'rewritten'> {
    signal.addEventListener('abort', () => reader.endWaits(), { once: true });
    while (!signal.aborted) {
      const records = await this.poll(reader, signal);
      for (const record of records) if (!(await this.process(record, signal))) return 'rewritten';
      if (records.length > 0) this.attempts.pump();
      // In one append, so that a webhook beyond its bound delays the others as little as possible.
      await this.attempts.cancel(this.overflow.splice(0), 'overflow');
      await this.runMaintenance();
    }
    return 'ended';
  }

  private async poll(reader: LogReader, signal: AbortSignal): Promise<readonly LogRecord[]> {
    const { logger, problems } = this.context;
    const timeoutMs = this.isSweeping ? SWEEPING_POLL_MS : POLL_TIMEOUT_MS;
    const { records } = await problems.retry(() => reader.poll(POLL_RECORDS, timeoutMs), unreadable, {
      canRetry: (error) => isTransient(error) && !signal.aborted,
      onFailure: (error, failures) => {
        if (failures === 1) logger.error({ error }, 'could not read webhook deliveries, retrying');
      },
      signal,
    });
    return records;
  }

  /**
   * Processes a delivery. False if the topic was rewritten: earlier records are no longer there, or are there twice.
   */
  private async process(record: LogRecord, signal: AbortSignal): Promise<boolean> {
    const { partition, offset, appendedAt, seq } = record;
    const { logger, problems } = this.context;
    const state = this.partitions.get(partition)!;
    if (offset < state.next || (seq > 0 && seq <= state.seq)) return false;
    const delivery = await problems.retry(() => decodeRecord(this.context, deliveryTopic, record), unreadable, {
      canRetry: (error) => isTransient(error, 'unknown_schema') && !signal.aborted,
      onFailure: (error, failures) => {
        if (failures === 1) logger.error({ error }, 'could not read a webhook delivery, retrying');
      },
      signal,
    });
    state.next = offset + 1;
    state.seq = Math.max(state.seq, seq);
    const attemptState = delivery && state.attemptStateOf(delivery, seq);
    state.lowWatermark.add({ offset, appendedAt }, attemptState?.isFinished !== false);
    if (!delivery || !attemptState || attemptState.isFinished) return true;
    const { webhookId } = delivery;
    const { attempts, nextAttemptAt } = attemptState;
    const dueAt = nextAttemptAt ?? Date.now() + delayMs(this.context.schedule, 0);
    const pending = toPending(delivery, { partition, offset, appendedAt, attempts, dueAt });
    if (!this.queues.hasRoom(webhookId)) {
      this.overflow.push(pending);
      return true;
    }
    const isBodyHeld = (this.queues.get(webhookId)?.waiting.size ?? 0) < BODIES_PER_WEBHOOK_MAX;
    this.attempts.add(pending, isBodyHeld ? delivery : null);
    return true;
  }

  /** Stores progress and finishes deliveries of disabled webhooks, a batch at a time. */
  private async runMaintenance(): Promise<void> {
    const now = Date.now();
    this.context.metrics.webhooksPending.set(this.queues.size);
    if (this.isSweeping || now >= this.sweepDueAt) {
      this.sweepDueAt = now + SWEEP_INTERVAL_MS;
      this.isSweeping = await this.attempts.sweep();
    }
    if (now >= this.progressDueAt) {
      this.progressDueAt = now + PROGRESS_INTERVAL_MS;
      await this.storeProgress();
    }
  }

  /** Stores the progress of each partition where it changed. */
  private async storeProgress(): Promise<void> {
    const changed = this.progress().filter(({ state, text }) => state.storedText !== text);
    if (changed.length > 0) await this.write(changed);
  }

  /** Stores the progress of one partition again, which succeeds only while this process holds the lease. */
  private async confirmLease(): Promise<void> {
    const [known] = this.progress();
    if (!known) throw new Error('no delivery was read, so there is nothing to send');
    await this.write([known]);
  }

  /** The progress of each partition that has deliveries. */
  private progress(): ProgressUpdate[] {
    return [...this.partitions].flatMap(([partition, state]) => {
      const progress = state.lowWatermark.progress();
      return progress ? [{ partition, state, progress, text: `${progress.offset} ${progress.appendedAt}` }] : [];
    });
  }

  private write(updates: readonly ProgressUpdate[]): Promise<void> {
    for (const { state, text } of updates) state.storedText = text;
    return this.writer.writeProgress(updates.map(({ partition, progress }) => ({ partition, ...progress })));
  }
}

type PendingFields = Pick<Pending, 'partition' | 'offset' | 'appendedAt' | 'attempts' | 'dueAt'>;

function toPending({ id, webhookId, orgId }: Delivery, fields: PendingFields): Pending {
  return { id, webhookId, orgId, ...fields, faults: 0, delivery: null };
}
