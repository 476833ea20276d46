/**
 * A queue of waiting deliveries for each webhook, and the order of turns. Pure, apart from being changed in place.
 * Webhooks do not wait for each other: each has its own slots, turns are round robin, and webhooks that answer slowly,
 * badly or not at all, or have not answered yet, are limited to a part of all slots.
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

/** One delivery that is not finished. */
export interface Pending {
  readonly id: string;
  readonly webhookId: string;
  readonly orgId: string;
  /** Its position in `derived.deliveries`. */
  readonly partition: number;
  readonly offset: number;
  /** Unix ms at which it was appended to the log. */
  readonly appendedAt: number;
  /** Recorded attempts. */
  attempts: number;
  /** Unix ms. */
  dueAt: number;
  /** Faults on this side since the last attempt, which do not count as attempts. */
  faults: number;
  /** The cached body; null if it has to be read from the log. */
  delivery: Delivery | null;
}

/** The deliveries of one webhook. */
export interface Queue {
  readonly webhookId: string;
  readonly waiting: Heap<Pending>;
  /** Running attempts. */
  active: number;
  /** The part of these that counts against the limit for slow webhooks. */
  slowActive: number;
  /** True if the last answer was slow or no 2xx, or there was none yet. */
  isSlow: boolean;
  /** While above 0 no attempt starts. */
  holds: number;
  /** True if it is in the ring of queues that wait for a turn. */
  inRing: boolean;
  /** Unix ms of its earliest alarm. */
  alarmAt: number;
}

export class Queues {
  private readonly queues = new Map<string, Queue>();
  /** Webhooks whose last answer was good and quick, with or without a queue. */
  private readonly proven = new LRUCache<string, true>({ max: PROVEN_MAX });
  private readonly quick: Queue[] = [];
  private readonly slow: Queue[] = [];
  private readonly alarms = new Heap<{ readonly at: number; readonly queue: Queue }>((a, b) => a.at < b.at);
  private waiting = 0;
  private active = 0;
  private slowActive = 0;

  /** Waiting deliveries and running attempts. */
  get size(): number {
    return this.waiting + this.active;
  }

  /** Running attempts. */
  get activeCount(): number {
    return this.active;
  }

  all(): Iterable<Queue> {
    return this.queues.values();
  }

  get(webhookId: string): Queue | undefined {
    return this.queues.get(webhookId);
  }

  /** True if another delivery may wait for a webhook. */
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

  /** Starts the next due delivery, which counts as running until `finish`; null if none is due or no slot is free. */
  next(now: number): { readonly pending: Pending; readonly queue: Queue; readonly isSlow: boolean } | null {
    for (let alarm = this.alarms.peek(); alarm && alarm.at <= now; alarm = this.alarms.peek()) {
      this.alarms.pop();
      if (alarm.queue.alarmAt === alarm.at) alarm.queue.alarmAt = Number.POSITIVE_INFINITY;
      this.wake(alarm.queue, now);
    }
    if (this.active >= ATTEMPTS_MAX) return null;
    return (
      this.takeTurn(this.quick, now) ?? (this.slowActive < SLOW_ATTEMPTS_MAX ? this.takeTurn(this.slow, now) : null)
    );
  }

  /** Frees the slot of an attempt. `wasGood` is null if the attempt says nothing about the webhook. */
  finish(queue: Queue, { isSlow, wasGood, now }: { isSlow: boolean; wasGood: boolean | null; now: number }): void {
    this.active -= 1;
    queue.active -= 1;
    if (isSlow) {
      this.slowActive -= 1;
      queue.slowActive -= 1;
    }
    if (wasGood !== null) this.applyAnswer(queue, wasGood);
    this.wake(queue, now);
    this.dropIfEmpty(queue);
  }

  /** Blocks a webhook until `release` was called as often as `hold`. */
  hold(queue: Queue): void {
    queue.holds += 1;
  }

  release(queue: Queue, now: number): void {
    queue.holds -= 1;
    this.wake(queue, now);
    this.dropIfEmpty(queue);
  }

  /** Removes and returns waiting deliveries of a webhook, the next ones first; running attempts continue. */
  remove(queue: Queue, max: number): Pending[] {
    const removed: Pending[] = [];
    for (let next = queue.waiting.peek(); next && removed.length < max; next = queue.waiting.peek()) {
      queue.waiting.pop();
      removed.push(next);
    }
    this.waiting -= removed.length;
    this.dropIfEmpty(queue);
    return removed;
  }

  /** Unix ms at which the next delivery becomes due, apart from those that only wait for a slot. */
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

  /** Moves a queue to the slow or the quick ring after an answer; a good one must not wait behind bad ones. */
  private applyAnswer(queue: Queue, wasGood: boolean): void {
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

  /** Puts a queue into its ring if it can start an attempt, else sets its alarm. */
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

  private takeTurn(ring: Queue[], now: number) {
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
