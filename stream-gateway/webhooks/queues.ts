/**
 * What waits to be sent: a queue for each webhook, and whose turn it is. Pure, apart from being changed in place. One
 * webhook does not wait for another one's deliveries: each has slots of its own, turns go round, and those that answer
 * slowly, badly or not at all, or have not answered yet, have at most their part of all slots.
 */
import { LRUCache } from 'lru-cache';
import type { Delivery } from '#schemas/topics/webhooks';
import { Heap } from './heap.ts';
import {
  ATTEMPTS_MAX,
  ATTEMPTS_PER_WEBHOOK,
  PROVEN_MAX,
  SLOW_ATTEMPTS_MAX,
  WAITING_MAX,
  WAITING_PER_WEBHOOK_MAX,
  WAITING_PER_WEBHOOK_MIN,
} from './limits.ts';

/** One delivery that is not settled. */
export interface Pending {
  readonly id: string;
  readonly webhookId: string;
  readonly orgId: string;
  /** Where it stands in `derived.deliveries`. */
  readonly partition: number;
  readonly offset: number;
  /** Unix ms at which the log took it. */
  readonly appendedAt: number;
  /** Attempts that were made and recorded. */
  attempts: number;
  /** Unix ms. */
  dueAt: number;
  /** Failures on this side since the last attempt: no attempts, since the target had no part in them. */
  faults: number;
  /** Held only for a while; null: to be read from the log. */
  delivery: Delivery | null;
}

/** The deliveries of one webhook. */
export interface Queue {
  readonly webhookId: string;
  readonly waiting: Heap<Pending>;
  /** Attempts under way. */
  active: number;
  /** Of these, those that count against what slow webhooks may have. */
  slowActive: number;
  /** Whether the last answer was slow or no 2xx, or there was none yet. */
  isSlow: boolean;
  /** While above 0 nothing starts. */
  holds: number;
  /** Whether it is in the ring of those whose turn comes. */
  inRing: boolean;
  /** Unix ms of the earliest alarm that is set for it. */
  alarmAt: number;
}

export class Queues {
  private readonly queues = new Map<string, Queue>();
  /** Webhooks whose last answer was good and quick, whether they have a queue now or not. */
  private readonly proven = new LRUCache<string, true>({ max: PROVEN_MAX });
  private readonly quick: Queue[] = [];
  private readonly slow: Queue[] = [];
  private readonly alarms = new Heap<{ readonly at: number; readonly queue: Queue }>((a, b) => a.at < b.at);
  private waiting = 0;
  private active = 0;
  private slowActive = 0;

  /** Deliveries that wait or are under way. */
  get size(): number {
    return this.waiting + this.active;
  }

  /** Attempts under way. */
  get activeCount(): number {
    return this.active;
  }

  all(): Iterable<Queue> {
    return this.queues.values();
  }

  get(webhookId: string): Queue | undefined {
    return this.queues.get(webhookId);
  }

  /** Whether a webhook may have another delivery waiting. */
  hasRoom(webhookId: string): boolean {
    const share = Math.floor(WAITING_MAX / (this.queues.size + 1));
    const most = Math.max(WAITING_PER_WEBHOOK_MIN, Math.min(WAITING_PER_WEBHOOK_MAX, share));
    return (this.queues.get(webhookId)?.waiting.size ?? 0) < most;
  }

  add(pending: Pending, now: number): Queue {
    const queue = this.queues.get(pending.webhookId) ?? this.create(pending.webhookId);
    queue.waiting.push(pending);
    this.waiting += 1;
    this.wake(queue, now);
    return queue;
  }

  /** The next delivery to attempt now, which is under way then until `finished`; null when there is none, or no slot. */
  next(now: number): { readonly pending: Pending; readonly queue: Queue; readonly isSlow: boolean } | null {
    for (let alarm = this.alarms.peek(); alarm && alarm.at <= now; alarm = this.alarms.peek()) {
      this.alarms.pop();
      if (alarm.queue.alarmAt === alarm.at) alarm.queue.alarmAt = Number.POSITIVE_INFINITY;
      this.wake(alarm.queue, now);
    }
    if (this.active >= ATTEMPTS_MAX) return null;
    return this.turn(this.quick, now) ?? (this.slowActive < SLOW_ATTEMPTS_MAX ? this.turn(this.slow, now) : null);
  }

  /** An attempt is over: its slot is free. `wasGood` null: it says nothing of the webhook. */
  finished(queue: Queue, { isSlow, wasGood, now }: { isSlow: boolean; wasGood: boolean | null; now: number }): void {
    this.active -= 1;
    queue.active -= 1;
    if (isSlow) {
      this.slowActive -= 1;
      queue.slowActive -= 1;
    }
    if (wasGood !== null) this.judge(queue, wasGood);
    this.wake(queue, now);
    this.dropIfEmpty(queue);
  }

  /** Lets nothing of the webhook start until `release` was called as often. */
  hold(queue: Queue): void {
    queue.holds += 1;
  }

  release(queue: Queue, now: number): void {
    queue.holds -= 1;
    this.wake(queue, now);
    this.dropIfEmpty(queue);
  }

  /** Takes all that waits for a webhook; what is under way goes on. */
  takeAll(queue: Queue): Pending[] {
    const taken = queue.waiting.takeAll();
    this.waiting -= taken.length;
    this.dropIfEmpty(queue);
    return taken;
  }

  /** Unix ms at which something is due next, beside what only waits for a slot. */
  nextDueAt(): number | null {
    return this.alarms.peek()?.at ?? null;
  }

  private create(webhookId: string): Queue {
    const queue: Queue = {
      webhookId,
      waiting: new Heap((a, b) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.offset < b.offset)),
      active: 0,
      slowActive: 0,
      isSlow: !this.proven.has(webhookId),
      holds: 0,
      inRing: false,
      alarmAt: Number.POSITIVE_INFINITY,
    };
    this.queues.set(webhookId, queue);
    return queue;
  }

  /** Moves a queue to where its last answer puts it; a good one must not wait behind bad ones. */
  private judge(queue: Queue, wasGood: boolean): void {
    if (wasGood) this.proven.set(queue.webhookId, true);
    else this.proven.delete(queue.webhookId);
    if (queue.isSlow !== wasGood) return;
    if (queue.inRing) {
      const ring = this.ringOf(queue);
      ring.splice(ring.indexOf(queue), 1);
      queue.inRing = false;
    }
    queue.isSlow = !wasGood;
  }

  private ringOf(queue: Queue): Queue[] {
    return queue.isSlow ? this.slow : this.quick;
  }

  private dropIfEmpty(queue: Queue): void {
    if (queue.waiting.size === 0 && queue.active === 0 && queue.holds === 0) this.queues.delete(queue.webhookId);
  }

  /** Puts a queue into the ring when it can start something, else sets its alarm. */
  private wake(queue: Queue, now: number): void {
    const head = queue.waiting.peek();
    if (!head || queue.inRing || queue.holds > 0 || queue.active >= ATTEMPTS_PER_WEBHOOK) return;
    if (head.dueAt <= now) {
      queue.inRing = true;
      this.ringOf(queue).push(queue);
    } else if (head.dueAt < queue.alarmAt) {
      queue.alarmAt = head.dueAt;
      this.alarms.push({ at: head.dueAt, queue });
    }
  }

  private turn(ring: Queue[], now: number) {
    for (let queue = ring.shift(); queue; queue = ring.shift()) {
      queue.inRing = false;
      const { isSlow } = queue;
      const head = queue.waiting.peek();
      if (!head || head.dueAt > now || queue.holds > 0 || queue.active >= ATTEMPTS_PER_WEBHOOK) {
        this.wake(queue, now);
        continue;
      }
      queue.waiting.pop();
      this.waiting -= 1;
      this.active += 1;
      queue.active += 1;
      if (isSlow) {
        this.slowActive += 1;
        queue.slowActive += 1;
      }
      this.wake(queue, now);
      return { pending: head, queue, isSlow };
    }
    return null;
  }
}
