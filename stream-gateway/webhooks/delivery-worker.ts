/**
 * The sender from one look at the log on: what was pending then, what came since, and the attempts. It ends when it is
 * told to, by a fault, or when `derived.deliveries` was written anew, after which another session begins.
 */
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { ControlHost } from '#infra/control/control-host';
import type { EventLog, LogReader, LogRecord } from '#infra/log/log';
import type { GuardedClient } from '#infra/outbound/guarded-request';
import { mayPass, retry } from '#infra/retry';
import type { Health } from '#infra/telemetry/health';
import type { Metrics } from '#infra/telemetry/metrics';
import { type Delivery, type DeliveryProgress, deliveryTopic } from '#schemas/topics/webhooks';
import { Attempts } from './attempts.ts';
import { decodeRecord } from './decode-record.ts';
import { BODIES_PER_WEBHOOK_MAX, CLOSE_GRACE_MS } from './limits.ts';
import { type LoadedPartition, loadPartition, UNTRIED } from './load-pending.ts';
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

/** Where this session stands in one partition. */
interface Position {
  readonly lowWater: LowWater;
  next: number;
  seq: number;
  /** What is known of a delivery that is read. */
  standingOf: LoadedPartition['standingOf'];
  /** What was noted last, as text. */
  noted: string;
}

interface Noted {
  readonly partition: number;
  readonly position: Position;
  readonly progress: DeliveryProgress;
  readonly text: string;
}

export class Session {
  private readonly context: SenderContext;
  private readonly queues = new Queues();
  private readonly positions = new Map<number, Position>();
  /** Told to end. */
  private readonly closing: AbortSignal;
  /** Cuts off what is under way, and the waits for a log that takes nothing. */
  private readonly cutting = new AbortController();
  private graceTimer: NodeJS.Timeout | undefined;
  private readonly writer: RecordsWriter;
  private readonly attempts: Attempts;
  /** Read in the batch at hand, and too many for their webhooks. */
  private readonly over: Pending[] = [];
  private sweepAt = 0;
  private noteAt = 0;

  private constructor(context: SenderContext, closing: AbortSignal) {
    this.context = context;
    this.closing = closing;
    const { signal } = this.cutting;
    // Each attempt under way listens to it.
    setMaxListeners(0, signal);
    this.writer = new RecordsWriter({ ...context, signal });
    this.attempts = new Attempts({
      ...context,
      queues: this.queues,
      writer: this.writer,
      signal,
      confirm: () => this.confirm(),
      onSettled: ({ partition, offset }) => this.positions.get(partition)!.lowWater.settled(offset),
    });
    closing.addEventListener('abort', this.beginEnd);
    if (closing.aborted) this.beginEnd();
  }

  /** Resolves once everything that the log holds is known; rejects when it is told to end before. */
  static async open(context: SenderContext, closing: AbortSignal): Promise<Session> {
    const session = new Session(context, closing);
    try {
      for (const partition of PARTITIONS) await session.load(partition);
    } catch (error) {
      session.forgetClosing();
      throw error;
    }
    context.metrics.webhooksPending.set(session.queues.size);
    return session;
  }

  /** Sends until it is told to end, or the deliveries turn out to be written anew (`rewritten`). Rejects on a fault. */
  async run(): Promise<'ended' | 'rewritten'> {
    const from = [...this.positions].map(([partition, { next }]) => ({
      topic: deliveryTopic.name,
      partition,
      offset: next,
    }));
    const reader = await this.context.log.reader(from);
    const over = new AbortController();
    const reading = this.read(reader, AbortSignal.any([this.closing, over.signal]));
    try {
      if (!this.closing.aborted) this.attempts.start();
      return await Promise.race([reading, this.attempts.over]);
    } finally {
      this.attempts.stop();
      over.abort();
      // Whichever came first is told; the other one only has to be over.
      await reading.catch(() => {});
      await reader.close();
    }
  }

  /** Starts nothing more, lets what is under way end for a while, cuts the rest and notes how far it came. */
  async end(): Promise<void> {
    // After a fault, or to begin anew: nobody has told it to end.
    if (!this.closing.aborted) this.beginEnd();
    await this.attempts.idle();
    this.forgetClosing();
    this.cutting.abort();
    // Without it the next start only reads more.
    await this.note().catch((error: unknown) =>
      this.context.logger.warn({ error }, 'how far deliveries of webhooks are settled could not be noted'),
    );
    this.context.metrics.webhooksPending.set(0);
  }

  private readonly beginEnd = (): void => {
    this.attempts.stop();
    this.graceTimer ??= setTimeout(() => this.cutting.abort(), CLOSE_GRACE_MS);
  };

  private forgetClosing(): void {
    this.closing.removeEventListener('abort', this.beginEnd);
    clearTimeout(this.graceTimer);
  }

  private async load(partition: number): Promise<void> {
    const now = Date.now();
    const lowWater = new LowWater();
    const over: Pending[] = [];
    const position: Position = { lowWater, next: 0, seq: 0, standingOf: () => UNTRIED, noted: '' };
    this.positions.set(partition, position);
    const loaded = await loadPartition(this.context, partition, ({ delivery, isSettled, attempts, ...at }) => {
      this.closing.throwIfAborted();
      lowWater.read(at, isSettled);
      if (isSettled) return;
      const { offset, appendedAt, nextAttemptAt } = at;
      const dueAt = nextAttemptAt ?? now;
      const pending = pendingOf(delivery, { partition, offset, appendedAt, attempts, dueAt });
      // Over the bound only after a time without a sender; the oldest wait, as they would have then.
      if (this.queues.hasRoom(pending.webhookId)) this.attempts.add(pending, null);
      else over.push(pending);
    });
    await this.attempts.cancel(over, 'overflow');
    position.next = loaded.next;
    position.seq = loaded.seq;
    position.standingOf = loaded.standingOf;
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
      canRetry: (error) => mayPass(error) && !signal.aborted,
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
    const { logger, health, part } = this.context;
    const position = this.positions.get(partition)!;
    if (offset < position.next || (seq > 0 && seq <= position.seq)) return false;
    const delivery = await retry(() => decodeRecord(this.context, deliveryTopic, record), {
      canRetry: (error) => mayPass(error, 'unknown_schema') && !signal.aborted,
      onFailure: (error, failures) => {
        if (failures === 1) logger.error({ error }, 'a delivery of a webhook cannot be read; trying again');
        health.degraded(part, 'deliveries of webhooks cannot be read');
      },
      onRecovered: () => health.ready(part),
      signal,
    });
    position.next = offset + 1;
    position.seq = Math.max(position.seq, seq);
    const standing = delivery && position.standingOf(delivery, seq);
    position.lowWater.read({ offset, appendedAt }, standing?.isSettled !== false);
    if (!delivery || !standing || standing.isSettled) return true;
    const { webhookId } = delivery;
    const { attempts, nextAttemptAt } = standing;
    const dueAt = nextAttemptAt ?? Date.now() + delayMs(this.context.schedule, 0);
    const pending = pendingOf(delivery, { partition, offset, appendedAt, attempts, dueAt });
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

  /** Notes how far each partition is, where that is not noted yet. */
  private async note(): Promise<void> {
    const changed = this.progress().filter(({ position, text }) => position.noted !== text);
    if (changed.length > 0) await this.write(changed);
  }

  /** Notes how far one partition is, noted before or not: only who holds the lease can. */
  private async confirm(): Promise<void> {
    const [known] = this.progress();
    if (!known) throw new Error('nothing was read, so there is nothing to send');
    await this.write([known]);
  }

  /** How far each partition is of which something was read. */
  private progress(): Noted[] {
    return [...this.positions].flatMap(([partition, position]) => {
      const progress = position.lowWater.progress();
      return progress ? [{ partition, position, progress, text: `${progress.offset} ${progress.appendedAt}` }] : [];
    });
  }

  private write(noted: readonly Noted[]): Promise<void> {
    for (const { position, text } of noted) position.noted = text;
    return this.writer.note(noted.map(({ partition, progress }) => ({ partition, ...progress })));
  }
}

type Place = Pick<Pending, 'partition' | 'offset' | 'appendedAt' | 'attempts' | 'dueAt'>;

function pendingOf({ id, webhookId, orgId }: Delivery, place: Place): Pending {
  return { id, webhookId, orgId, ...place, faults: 0, delivery: null };
}
