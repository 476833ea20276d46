/** Makes the attempts whose turn it is, records them and draws the consequences. */

import type { ControlHost } from '#infra/control/control-host';
import type { GuardedClient } from '#infra/outbound/guarded-request';
import type { Outcome } from '#infra/outbound/outcome';
import { backoffMs, mayPass } from '#infra/retry';
import type { Metrics } from '#infra/telemetry/metrics';
import { signingSecrets } from '#schemas/domain/control/lookups';
import type { Webhook } from '#schemas/domain/control/state';
import type { Delivery, DeliveryAttempt } from '#schemas/topics/webhooks';
import { BodyReader } from './body-reader.ts';
import { BodyStore } from './body-store.ts';
import { Disabler } from './disabler.ts';
import { BODY_KEPT_MS, SLOW_MS } from './limits.ts';
import type { LoadContext } from './load-pending.ts';
import type { Pending, Queue, Queues } from './queues.ts';
import type { RecordsWriter } from './records-writer.ts';
import { consequenceOf, type Schedule } from './schedule.ts';
import { deliveryHeaders } from './sign.ts';
import { type Refusal, targetOf } from './target.ts';

/** While the control state is too old to say who may be sent to. */
const STALE_PAUSE_MS = 500;
const CANCEL_BATCH = 500;
/** `setTimeout` takes no longer one. */
const TIMER_MAX_MS = 3_600_000;

/** Why a delivery ends without being sent again. */
type Reason = Refusal | 'overflow' | 'expired';

export interface AttemptsOptions extends LoadContext {
  readonly control: Pick<ControlHost, 'state' | 'isCurrent' | 'submit'>;
  readonly client: Pick<GuardedClient, 'post'>;
  readonly metrics: Pick<Metrics, 'webhookAttempts'>;
  readonly schedule: Schedule;
  readonly queues: Queues;
  readonly writer: RecordsWriter;
  /** Has the log take a record; rejects when another process has taken over. */
  readonly confirm: () => Promise<void>;
  /** Cuts attempts off: they are not recorded, and made again by who comes next. */
  readonly signal: AbortSignal;
  /** A refusal that is not final is taken for one so long after the delivery was made. */
  readonly settleAfterMs: number;
  /** Told once the log has the record that settles a delivery. */
  readonly onSettled: (pending: Pending) => void;
}

export class Attempts {
  /** Rejects on a fault; resolves when a delivery does not stand where it was. */
  readonly over: Promise<'rewritten'>;
  private readonly options: AttemptsOptions;
  private readonly bodies = new BodyStore();
  private readonly reader: BodyReader;
  private readonly disabler: Disabler;
  private timer: NodeJS.Timeout | undefined;
  private confirming: Promise<void> | null = null;
  private isRunning = false;
  private readonly waitingForIdle: (() => void)[] = [];
  private fail: (error: unknown) => void = () => {};
  private tellRewritten: (how: 'rewritten') => void = () => {};

  constructor(options: AttemptsOptions) {
    this.options = options;
    this.reader = new BodyReader(options);
    this.disabler = new Disabler(options);
    this.over = new Promise((resolve, reject) => {
      this.tellRewritten = resolve;
      this.fail = reject;
    });
    // It may fail when nobody asks any more.
    this.over.catch(() => {});
  }

  start(): void {
    this.isRunning = true;
    this.pump();
  }

  /** Nothing starts any more; what is under way goes on. */
  stop(): void {
    this.isRunning = false;
    clearTimeout(this.timer);
  }

  /** Resolves once nothing is under way. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.options.queues.activeCount === 0) resolve();
      else this.waitingForIdle.push(resolve);
    });
  }

  /** Adds a delivery, whose body is held where there is room. */
  add(pending: Pending, delivery: Delivery | null): void {
    this.options.queues.add(delivery ? this.bodies.keep(pending, delivery) : pending, Date.now());
  }

  /** Starts all that is due and has a slot, and sets the timer for what comes next. */
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

  /** Settles what waits for webhooks that may not be sent to. */
  async sweep(): Promise<void> {
    const { queues, control } = this.options;
    if (!control.isCurrent) return;
    for (const queue of [...queues.all()]) await this.cancelRefused(queue);
  }

  /** Ends deliveries without sending them. */
  async cancel(deliveries: readonly Pending[], reason: Reason): Promise<void> {
    const { writer, onSettled } = this.options;
    for (let at = 0; at < deliveries.length; at += CANCEL_BATCH) {
      const batch = deliveries.slice(at, at + CANCEL_BATCH);
      await Promise.all(batch.map((pending) => writer.write(unsent(pending, reason))));
      for (const pending of batch) {
        this.bodies.take(pending);
        onSettled(pending);
      }
    }
  }

  private async cancelRefused(queue: Queue): Promise<void> {
    const { queues, control, settleAfterMs } = this.options;
    if (queue.waiting.size === 0 || 'webhook' in targetOf(control.state, queue.webhookId, Date.now())) return;
    const refused = new Map<Refusal, Pending[]>();
    const now = Date.now();
    for (const pending of queues.takeAll(queue)) {
      const target = targetOf(control.state, pending.webhookId, pending.appendedAt);
      if ('refusal' in target && (target.isFinal || pending.appendedAt + settleAfterMs <= now))
        refused.set(target.refusal, [...(refused.get(target.refusal) ?? []), pending]);
      else queues.add(pending, now);
    }
    for (const [refusal, deliveries] of refused) await this.cancel(deliveries, refusal);
  }

  private async attempt({ pending, queue, isSlow }: { pending: Pending; queue: Queue; isSlow: boolean }) {
    const { queues, signal } = this.options;
    let wasGood: boolean | null = null;
    try {
      wasGood = await this.make(pending, queue);
    } catch (error) {
      // Its slot is free again without a record, so nothing may start in it.
      this.stop();
      // Once everything is cut off nothing is recorded any more, and the next session makes the attempt again.
      if (!signal.aborted) this.fail(error);
    }
    queues.finished(queue, { isSlow, wasGood, now: Date.now() });
    if (queues.activeCount === 0) for (const tell of this.waitingForIdle.splice(0)) tell();
    this.pump();
  }

  /** Whether the answer was good and quick; null when nothing was sent. */
  private async make(pending: Pending, queue: Queue): Promise<boolean | null> {
    const { control, settleAfterMs, writer } = this.options;
    const delivery = await this.deliveryOf(pending);
    if (delivery === 'fault') return null;
    if (delivery === null) {
      await this.cancel([pending], 'expired');
      return null;
    }
    if (delivery.id !== pending.id) {
      this.tellRewritten('rewritten');
      return null;
    }
    while (!writer.isHolder) await this.confirm();
    // Told to stop meanwhile.
    if (!this.isRunning) return null;
    // Asked in the same turn of the event loop as the request begins.
    const target = targetOf(control.state, pending.webhookId, pending.appendedAt);
    if ('webhook' in target) return this.send(pending, queue, delivery, target.webhook);
    const settledAt = pending.appendedAt + settleAfterMs;
    if (target.isFinal || settledAt <= Date.now()) await this.cancel([pending], target.refusal);
    else this.putBack(pending, settledAt);
    return null;
  }

  /** One record for all that wait for it. */
  private confirm(): Promise<void> {
    this.options.signal.throwIfAborted();
    this.confirming ??= this.options.confirm().finally(() => {
      this.confirming = null;
    });
    return this.confirming;
  }

  private async deliveryOf(pending: Pending): Promise<Delivery | null | 'fault'> {
    const held = this.bodies.take(pending);
    if (held) return held;
    try {
      return await this.reader.read(pending);
    } catch (error) {
      if (!mayPass(error, 'unknown_schema')) throw error;
      this.tellFault(pending, error);
      return 'fault';
    }
  }

  private async send(pending: Pending, queue: Queue, delivery: Delivery, webhook: Webhook): Promise<boolean | null> {
    const { client, metrics, schedule, writer, onSettled, queues, signal } = this.options;
    const at = Date.now();
    let outcome: Outcome;
    try {
      const { eventId, body } = delivery;
      const headers = deliveryHeaders({ eventId, at, body, secrets: signingSecrets(webhook, at) });
      outcome = await client.post({ url: webhook.url, headers, body: Buffer.from(body, 'utf8'), signal });
    } catch (error) {
      this.tellFault(pending, error);
      return null;
    }
    // Not the target's doing, and not known whether it came through: made again by who comes next.
    if ('error' in outcome && outcome.error === 'aborted') return null;
    metrics.webhookAttempts.inc({ outcome: labelOf(outcome) });
    const consequence = consequenceOf(schedule, pending.attempts + 1, outcome);
    const nextAttemptAt = consequence.kind === 'retry' ? Date.now() + consequence.afterMs : null;
    const record = attemptRecord({ pending, at, outcome, kind: consequence.kind, nextAttemptAt });
    if (consequence.kind === 'failed') {
      // Nothing starts until it is decided. It is recorded afterwards: who is killed between the two makes one attempt
      // fewer known, but leaves no webhook enabled that should not be.
      queues.hold(queue);
      try {
        await this.disabler.disable(webhook, consequence.disable);
        await writer.write(record);
        onSettled(pending);
        await this.cancelRefused(queue);
      } finally {
        queues.release(queue, Date.now());
      }
      return false;
    }
    await writer.write(record);
    pending.attempts += 1;
    pending.faults = 0;
    if (nextAttemptAt === null) onSettled(pending);
    else {
      if (nextAttemptAt - Date.now() <= BODY_KEPT_MS) this.bodies.keep(pending, delivery);
      this.putBack(pending, nextAttemptAt);
    }
    return consequence.kind === 'delivered' && outcome.durationMs <= SLOW_MS;
  }

  private putBack(pending: Pending, dueAt: number): void {
    pending.dueAt = dueAt;
    this.options.queues.add(pending, Date.now());
  }

  /** A fault of this side: tried again later, and no attempt of the target's. */
  private tellFault(pending: Pending, error: unknown): void {
    this.options.logger.error({ webhookId: pending.webhookId, error }, 'an attempt could not be made; trying again');
    pending.faults += 1;
    this.putBack(pending, Date.now() + 1_000 + backoffMs(pending.faults));
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
}

function attemptRecord({ pending, at, outcome, kind, nextAttemptAt }: AttemptParts): DeliveryAttempt {
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
  };
}

/** The last record of a delivery that is not sent any more. */
function unsent(pending: Pending, reason: Reason): DeliveryAttempt {
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
  };
}
