/**
 * The sender from one look at the log on: what was pending then, what came since, and the attempts. It ends when it is
 * told to, by a fault, or when `derived.deliveries` was written anew, after which another session begins.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Codec, CodecError } from '#infra/codec/codec';
import { RegistryError } from '#infra/codec/confluent-registry';
import type { ControlHost } from '#infra/control/control-host';
import { type EventLog, LogError, type LogReader, type LogRecord } from '#infra/log/log';
import type { GuardedClient } from '#infra/outbound/guarded-request';
import { retry } from '#infra/retry';
import type { Health } from '#infra/telemetry/health';
import type { Metrics } from '#infra/telemetry/metrics';
import { deliveryTopic } from '#schemas/topics/webhooks';
import { Attempts } from './attempts.ts';
import { decodeRecord } from './decode-record.ts';
import { BODIES_PER_WEBHOOK_MAX, CLOSE_GRACE_MS } from './limits.ts';
import { loadPartition } from './load-pending.ts';
import { LowWater } from './low-water.ts';
import { type Pending, Queues } from './queues.ts';
import { RecordsWriter } from './records-writer.ts';
import { delayMs, type Schedule } from './schedule.ts';

const POLL_RECORDS = 512;
const POLL_TIMEOUT_MS = 250;
const NOTE_INTERVAL_MS = 1_000;
const SWEEP_INTERVAL_MS = 1_000;
const PARTITIONS = Array.from({ length: deliveryTopic.partitions }, (_, partition) => partition);

export interface SenderContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly health: Health;
  readonly metrics: Pick<Metrics, 'webhookAttempts' | 'webhooksPending'>;
  readonly control: Pick<ControlHost, 'state' | 'isCurrent' | 'submit'>;
  readonly client: Pick<GuardedClient, 'post'>;
  readonly schedule: Schedule;
  /** Part of `/health`. */
  readonly part: string;
  /** After so long the control state knows of every command that made a delivery; see `Attempts`. */
  readonly settleAfterMs: number;
}

/** Whether waiting can help. A schema that nobody knows yet counts: its writer registered it, or is about to. */
function isPassing(error: unknown): boolean {
  if (error instanceof CodecError) return error.code === 'unknown_schema';
  return (error instanceof LogError || error instanceof RegistryError) && error.canRetry;
}

/** Where this session stands in one partition. */
interface Position {
  readonly lowWater: LowWater;
  next: number;
  seq: number;
  /** What was noted last, as text. */
  noted: string;
}

export class Session {
  private readonly context: SenderContext;
  private readonly queues = new Queues();
  private readonly positions = new Map<number, Position>();
  private readonly cutting = new AbortController();
  private readonly writer: RecordsWriter;
  private readonly attempts: Attempts;
  /** Read in the batch at hand, and too many for their webhooks. */
  private readonly over: Pending[] = [];
  private sweepAt = 0;
  private noteAt = 0;

  private constructor(context: SenderContext) {
    this.context = context;
    const { signal } = this.cutting;
    // Each attempt under way listens to it.
    setMaxListeners(0, signal);
    this.writer = new RecordsWriter({ ...context, signal });
    this.attempts = new Attempts({
      ...context,
      queues: this.queues,
      writer: this.writer,
      signal,
      onSettled: ({ partition, offset }) => this.positions.get(partition)!.lowWater.settled(offset),
    });
  }

  /** Resolves once everything that the log holds is known. */
  static async open(context: SenderContext): Promise<Session> {
    const session = new Session(context);
    for (const partition of PARTITIONS) await session.load(partition);
    context.metrics.webhooksPending.set(session.queues.size);
    return session;
  }

  /** Sends until the signal aborts, or the deliveries turn out to be written anew (`rewritten`). Rejects on a fault. */
  async run(signal: AbortSignal): Promise<'ended' | 'rewritten'> {
    const from = [...this.positions].map(([partition, { next }]) => ({
      topic: deliveryTopic.name,
      partition,
      offset: next,
    }));
    const reader = await this.context.log.reader(from);
    const over = new AbortController();
    const reading = this.read(reader, AbortSignal.any([signal, over.signal]));
    try {
      this.attempts.start();
      return await Promise.race([reading, this.attempts.over]);
    } finally {
      over.abort();
      // Whichever came first is told; the other one only has to be over.
      await reading.catch(() => {});
      await reader.close();
    }
  }

  /** Starts nothing more, lets what is under way end for a while, cuts the rest and notes how far it came. */
  async end(): Promise<void> {
    this.attempts.stop();
    const ended = this.attempts.idle();
    const cut = new AbortController();
    const grace = sleep(CLOSE_GRACE_MS, undefined, { signal: cut.signal }).catch(() => {});
    await Promise.race([ended, grace]);
    cut.abort();
    this.cutting.abort();
    await ended;
    // Without it the next start only reads more.
    await this.note().catch((error: unknown) =>
      this.context.logger.warn({ error }, 'how far deliveries of webhooks are settled could not be noted'),
    );
    this.context.metrics.webhooksPending.set(0);
  }

  private async load(partition: number): Promise<void> {
    const now = Date.now();
    const lowWater = new LowWater();
    const over: Pending[] = [];
    const position: Position = { lowWater, next: 0, seq: 0, noted: '' };
    this.positions.set(partition, position);
    const loaded = await loadPartition(this.context, partition, ({ delivery, isSettled, attempts, ...at }) => {
      lowWater.read(at, isSettled);
      if (isSettled) return;
      const { id, webhookId, orgId } = delivery;
      const dueAt = at.nextAttemptAt ?? now;
      const { offset, appendedAt } = at;
      const pending = {
        id,
        webhookId,
        orgId,
        partition,
        offset,
        appendedAt,
        attempts,
        dueAt,
        faults: 0,
        delivery: null,
      };
      // Over the bound only after a time without a sender; the oldest wait, as they would have then.
      if (this.queues.hasRoom(webhookId)) this.attempts.add(pending, null);
      else over.push(pending);
    });
    await this.attempts.cancel(over, 'overflow');
    position.next = loaded.next;
    position.seq = loaded.seq;
    this.writer.follow(loaded.attemptedAt);
  }

  private async read(reader: LogReader, signal: AbortSignal): Promise<'ended' | 'rewritten'> {
    while (!signal.aborted) {
      const records = await this.poll(reader, signal);
      for (const record of records) if (!(await this.take(record, signal))) return 'rewritten';
      if (records.length > 0) this.attempts.pump();
      // Together, so that a webhook over its bound costs the others one append and not many.
      await this.attempts.cancel(this.over.splice(0), 'overflow');
      await this.keepHouse();
    }
    return 'ended';
  }

  private async poll(reader: LogReader, signal: AbortSignal): Promise<readonly LogRecord[]> {
    const { logger, health, part } = this.context;
    const { records } = await retry(() => reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS), {
      canRetry: (error) => error instanceof LogError && error.canRetry && !signal.aborted,
      onFailure: (error, failures) => {
        if (failures === 1) logger.error({ error }, 'deliveries of webhooks cannot be read; trying again');
        health.degraded(part, 'deliveries of webhooks cannot be read');
      },
      onRecovered: () => health.ready(part),
      signal,
    });
    return records;
  }

  /** False: what was read before does not stand there any more, or stands there twice. */
  private async take(record: LogRecord, signal: AbortSignal): Promise<boolean> {
    const { partition, offset, appendedAt, seq } = record;
    const position = this.positions.get(partition)!;
    if (offset < position.next || (seq > 0 && seq <= position.seq)) return false;
    const delivery = await retry(() => decodeRecord(this.context, deliveryTopic, record), {
      canRetry: (error) => isPassing(error) && !signal.aborted,
      signal,
    });
    position.next = offset + 1;
    position.seq = Math.max(position.seq, seq);
    position.lowWater.read({ offset, appendedAt }, delivery === null);
    if (!delivery) return true;
    const { id, webhookId, orgId } = delivery;
    const now = Date.now();
    const dueAt = now + delayMs(this.context.schedule, 0);
    const pending = {
      id,
      webhookId,
      orgId,
      partition,
      offset,
      appendedAt,
      attempts: 0,
      dueAt,
      faults: 0,
      delivery: null,
    };
    if (!this.queues.hasRoom(webhookId)) {
      this.over.push(pending);
      return true;
    }
    const isNear = (this.queues.get(webhookId)?.waiting.size ?? 0) < BODIES_PER_WEBHOOK_MAX;
    this.attempts.add(pending, isNear ? delivery : null);
    return true;
  }

  /** Notes progress, and drops what waits for webhooks that are disabled, each once in a while. */
  private async keepHouse(): Promise<void> {
    const now = Date.now();
    this.context.metrics.webhooksPending.set(this.queues.size);
    if (now >= this.sweepAt) {
      this.sweepAt = now + SWEEP_INTERVAL_MS;
      await this.attempts.sweep();
    }
    if (now >= this.noteAt) {
      this.noteAt = now + NOTE_INTERVAL_MS;
      await this.note();
    }
  }

  private async note(): Promise<void> {
    const changed = [];
    for (const [partition, position] of this.positions) {
      const progress = position.lowWater.progress();
      const text = progress ? `${progress.offset} ${progress.appendedAt}` : '';
      if (!progress || text === position.noted) continue;
      position.noted = text;
      changed.push({ partition, ...progress });
    }
    if (changed.length > 0) await this.writer.note(changed);
  }
}
