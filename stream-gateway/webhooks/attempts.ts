/** Runs the attempts whose turn it is, records them and applies the consequences. */

import type { ControlReplica } from '#infra/control/control-replica';
import type { GuardedClient } from '#infra/outbound/guarded-request';
import type { Outcome } from '#infra/outbound/outcome';
import { backoffMs, isTransient } from '#infra/runtime/retry';
import type { Metrics } from '#infra/telemetry/metrics';
import { signingSecrets } from '#schemas/domain/control/lookups';
import type { Webhook } from '#schemas/domain/control/state';
import type { Delivery, DeliveryAttempt } from '#schemas/topics/webhooks';
import { BodyReader } from './body-reader.ts';
import { BodyStore } from './body-store.ts';
import { Disabler } from './disabler.ts';
import { BODY_HOLD_MS, CANCEL_BATCH, SLOW_MS } from './limits.ts';
import type { LoadContext } from './load-pending.ts';
import type { Pending, Queue, Queues } from './queues.ts';
import type { RecordsWriter } from './records-writer.ts';
import { consequenceOf, type Schedule } from './schedule.ts';
import { signedHeaders } from './sign.ts';
import { type Refusal, targetOf } from './target.ts';

/** Pause while the control state is too old to decide who may be sent to. */
const STALE_PAUSE_MS = 500;
/** Longest timer; the next one is set when it ends. */
const TIMER_MAX_MS = 3_600_000;

/** Why a delivery ends without being sent again. */
type Reason = Refusal | 'overflow' | 'expired';

export interface AttemptsOptions extends LoadContext {
  readonly control: Pick<ControlReplica, 'state' | 'isCurrent' | 'submit'>;
  readonly client: Pick<GuardedClient, 'post'>;
  readonly metrics: Pick<Metrics, 'webhookAttempts'>;
  readonly schedule: Schedule;
  readonly queues: Queues;
  readonly writer: RecordsWriter;
  /** Appends a record to prove that this process holds the lease; rejects if another process has taken over. */
  readonly confirmLease: () => Promise<void>;
  /** Aborts attempts: they are not recorded, and the next lease holder repeats them. */
  readonly signal: AbortSignal;
  /** A refusal that is not final becomes final this long after the delivery was appended. */
  readonly cancelAfterMs: number;
  /** Called once the record that finishes a delivery is in the log. */
  readonly onFinished: (pending: Pending) => void;
}

export class Attempts {
  /** Rejects on a fault; resolves when a delivery is no longer at its offset. */
  readonly stopped: Promise<'rewritten'>;
  private readonly options: AttemptsOptions;
  private readonly bodies = new BodyStore();
  private readonly reader: BodyReader;
  private readonly disabler: Disabler;
  private timer: NodeJS.Timeout | undefined;
  private leaseConfirmation: Promise<void> | null = null;
  private isRunning = false;
  private readonly waitingForIdle: (() => void)[] = [];
  private fail: (error: unknown) => void = () => {};
  private resolveRewritten: (how: 'rewritten') => void = () => {};

  constructor(options: AttemptsOptions) {
    this.options = options;
    this.reader = new BodyReader(options);
    this.disabler = new Disabler(options);
    this.stopped = new Promise((resolve, reject) => {
      this.resolveRewritten = resolve;
      this.fail = reject;
    });
    // It may reject when nobody awaits it any more.
    this.stopped.catch(() => {});
  }

  start(): void {
    this.isRunning = true;
    this.pump();
  }

  /** Starts no more attempts; running ones continue. */
  stop(): void {
    this.isRunning = false;
    clearTimeout(this.timer);
  }

  /** Resolves once no attempt runs. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.options.queues.activeCount === 0) resolve();
      else this.waitingForIdle.push(resolve);
    });
  }

  /** Adds a delivery, and caches its body if there is room. */
  add(pending: Pending, delivery: Delivery | null): void {
    this.options.queues.add(delivery ? this.bodies.hold(pending, delivery) : pending, Date.now());
  }

  /** Starts every attempt that is due and has a slot, and sets the timer for the next one. */
  pump(): void {
    if (!this.isRunning) return;
    clearTimeout(this.timer);
    const { queues, control } = this.options;
    const now = Date.now();
    if (!control.isCurrent) {
      this.timer = setTimeout(() => this.pump(), STALE_PAUSE_MS);
      return;
    }
    for (let turn = queues.next(now); turn; turn = queues.next(now)) void this.attempt(turn);
    const dueAt = queues.nextDueAt();
    if (dueAt !== null)
      this.timer = setTimeout(() => this.pump(), Math.min(TIMER_MAX_MS, Math.max(1, dueAt - Date.now())));
  }

  /**
   * Finishes deliveries that wait for webhooks that may not be sent to, one batch at most. True if it was full, so that
   * more of them may wait.
   */
  async sweep(): Promise<boolean> {
    const { queues, control } = this.options;
    if (!control.isCurrent) return false;
    const refused = new Map<Refusal, Pending[]>();
    let room = CANCEL_BATCH;
    for (const queue of [...queues.all()]) {
      if (room === 0) break;
      room -= this.removeRefused(queue, room, refused);
    }
    await Promise.all([...refused].map(([refusal, deliveries]) => this.cancel(deliveries, refusal)));
    return room === 0;
  }

  /** Ends deliveries without sending them. */
  async cancel(deliveries: readonly Pending[], reason: Reason): Promise<void> {
    const { writer, onFinished } = this.options;
    for (let at = 0; at < deliveries.length; at += CANCEL_BATCH) {
      const batch = deliveries.slice(at, at + CANCEL_BATCH);
      await Promise.all(batch.map((pending) => writer.write(unsentRecord(pending, reason))));
      for (const pending of batch) {
        this.bodies.release(pending);
        onFinished(pending);
      }
    }
  }

  /** Moves deliveries that are refused for good from a queue to `refused`. Returns how many, `max` at most. */
  private removeRefused(queue: Queue, max: number, refused: Map<Refusal, Pending[]>): number {
    const { queues, control, cancelAfterMs } = this.options;
    const now = Date.now();
    if ('webhook' in targetOf(control.state, queue.webhookId, now)) return 0;
    let count = 0;
    for (const pending of queues.remove(queue, max)) {
      const target = targetOf(control.state, pending.webhookId, pending.appendedAt);
      if ('refusal' in target && (target.isFinal || pending.appendedAt + cancelAfterMs <= now)) {
        const same = refused.get(target.refusal) ?? [];
        same.push(pending);
        refused.set(target.refusal, same);
        count += 1;
      } else queues.add(pending, now);
    }
    return count;
  }

  private async attempt({ pending, queue, isSlow }: { pending: Pending; queue: Queue; isSlow: boolean }) {
    const { queues, signal } = this.options;
    let wasGood: boolean | null = null;
    try {
      wasGood = await this.runAttempt(pending, queue);
    } catch (error) {
      // The slot becomes free without a record, so nothing may start in it.
      this.stop();
      // After an abort nothing is recorded any more, and the next worker repeats the attempt.
      if (!signal.aborted) this.fail(error);
    }
    queues.finish(queue, { isSlow, wasGood, now: Date.now() });
    if (queues.activeCount === 0) for (const resolve of this.waitingForIdle.splice(0)) resolve();
    this.pump();
  }

  /** True if the answer was good and quick; null if nothing was sent. */
  private async runAttempt(pending: Pending, queue: Queue): Promise<boolean | null> {
    const { control, cancelAfterMs, writer } = this.options;
    const delivery = await this.deliveryOf(pending);
    if (delivery === 'fault') return null;
    if (delivery === null) {
      await this.cancel([pending], 'expired');
      return null;
    }
    if (delivery.id !== pending.id) {
      this.resolveRewritten('rewritten');
      return null;
    }
    while (!writer.holdsLease) await this.confirmLease();
    // Stopped meanwhile.
    if (!this.isRunning) return null;
    // Checked in the same turn of the event loop in which the request begins.
    const target = targetOf(control.state, pending.webhookId, pending.appendedAt);
    if ('webhook' in target) return this.send(pending, queue, delivery, target.webhook);
    const cancelAt = pending.appendedAt + cancelAfterMs;
    if (target.isFinal || cancelAt <= Date.now()) await this.cancel([pending], target.refusal);
    else this.requeue(pending, cancelAt);
    return null;
  }

  /** Appends one record for all attempts that wait for it. */
  private confirmLease(): Promise<void> {
    this.options.signal.throwIfAborted();
    this.leaseConfirmation ??= this.options.confirmLease().finally(() => {
      this.leaseConfirmation = null;
    });
    return this.leaseConfirmation;
  }

  private async deliveryOf(pending: Pending): Promise<Delivery | null | 'fault'> {
    const cached = this.bodies.release(pending);
    if (cached) return cached;
    try {
      return await this.reader.read(pending);
    } catch (error) {
      if (!isTransient(error, 'unknown_schema')) throw error;
      this.retryAfterFault(pending, error);
      return 'fault';
    }
  }

  private async send(pending: Pending, queue: Queue, delivery: Delivery, webhook: Webhook): Promise<boolean | null> {
    const { client, metrics, schedule, writer, onFinished, queues, signal } = this.options;
    const at = Date.now();
    const { eventId, body } = delivery;
    let outcome: Outcome;
    let signature: string;
    try {
      const headers = signedHeaders({ eventId, at, body, secrets: signingSecrets(webhook, at) });
      signature = headers['webhook-signature']!;
      outcome = await client.post({ url: webhook.url, headers, body: Buffer.from(body, 'utf8'), signal });
    } catch (error) {
      this.retryAfterFault(pending, error);
      return null;
    }
    // Not caused by the target, and unknown whether the request arrived: the next lease holder repeats it.
    if ('error' in outcome && outcome.error === 'aborted') return null;
    metrics.webhookAttempts.inc({ outcome: labelOf(outcome) });
    const consequence = consequenceOf(schedule, pending.attempts + 1, outcome);
    const nextAttemptAt = consequence.kind === 'retry' ? Date.now() + consequence.afterMs : null;
    const record = attemptRecord({ pending, at, outcome, kind: consequence.kind, nextAttemptAt, signature });
    if (consequence.kind === 'failed') {
      // Nothing starts until the command has its verdict. The attempt is recorded afterwards: a process killed between
      // the two leaves an attempt unrecorded, but no webhook enabled that should be disabled.
      queues.hold(queue);
      try {
        await this.disabler.disable(webhook, consequence.disable);
        await writer.write(record);
        onFinished(pending);
      } finally {
        queues.release(queue, Date.now());
      }
      return false;
    }
    await writer.write(record);
    pending.attempts += 1;
    pending.faults = 0;
    if (nextAttemptAt === null) onFinished(pending);
    else {
      if (nextAttemptAt - Date.now() <= BODY_HOLD_MS) this.bodies.hold(pending, delivery);
      this.requeue(pending, nextAttemptAt);
    }
    return consequence.kind === 'delivered' && outcome.durationMs <= SLOW_MS;
  }

  private requeue(pending: Pending, dueAt: number): void {
    pending.dueAt = dueAt;
    this.options.queues.add(pending, Date.now());
  }

  /** Retries later after a fault on this side, which does not count as an attempt. */
  private retryAfterFault(pending: Pending, error: unknown): void {
    this.options.logger.error(
      { webhookId: pending.webhookId, error },
      'could not attempt a webhook delivery, retrying',
    );
    pending.faults += 1;
    this.requeue(pending, Date.now() + 1_000 + backoffMs(pending.faults));
  }
}

function labelOf(outcome: Outcome): string {
  return 'status' in outcome ? `${Math.floor(outcome.status / 100)}xx` : outcome.error;
}

interface AttemptParts {
  readonly pending: Pending;
  readonly at: number;
  readonly outcome: Outcome;
  readonly kind: 'delivered' | 'retry' | 'failed';
  readonly nextAttemptAt: number | null;
  readonly signature: string;
}

function attemptRecord({ pending, at, outcome, kind, nextAttemptAt, signature }: AttemptParts): DeliveryAttempt {
  const { id, webhookId, orgId, attempts } = pending;
  return {
    deliveryId: id,
    webhookId,
    orgId,
    attempt: attempts + 1,
    receivedAt: at,
    durationMs: outcome.durationMs,
    status: 'status' in outcome ? outcome.status : null,
    error: 'error' in outcome ? outcome.error : null,
    outcome: kind === 'retry' ? 'pending' : kind,
    nextAttemptAt,
    signature,
  };
}

/** The last record of a delivery that is no longer sent. */
function unsentRecord(pending: Pending, reason: Reason): DeliveryAttempt {
  const { id, webhookId, orgId, attempts } = pending;
  return {
    deliveryId: id,
    webhookId,
    orgId,
    attempt: attempts + 1,
    receivedAt: Date.now(),
    durationMs: 0,
    status: null,
    error: reason,
    outcome: 'failed',
    nextAttemptAt: null,
    signature: null,
  };
}
