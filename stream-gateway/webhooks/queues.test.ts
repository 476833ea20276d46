import { describe, expect, it } from 'vitest';
import { ATTEMPTS_MAX, ATTEMPTS_PER_WEBHOOK, SLOW_ATTEMPTS_MAX, WAITING_PER_WEBHOOK_MAX } from './limits.ts';
import { LowWatermark } from './low-watermark.ts';
import { type Pending, Queues } from './queues.ts';

let offset = 0;
function pending(webhookId: string, dueAt = 0, attempts = 0): Pending {
  offset += 1;
  const id = `${webhookId}-${offset}`;
  return { id, webhookId, orgId: 'o', partition: 0, offset, appendedAt: 0, attempts, dueAt, faults: 0, delivery: null };
}

function fill(queues: Queues, webhookId: string, count: number, dueAt = 0, attempts = 0): void {
  for (let nth = 0; nth < count; nth += 1) queues.add(pending(webhookId, dueAt, attempts), 0);
}

/** Starts every attempt that may start; returns the turns and their number by webhook. */
function startAll(queues: Queues, now = 0) {
  const turns = [];
  for (let turn = queues.next(now); turn; turn = queues.next(now)) turns.push(turn);
  const counts: Record<string, number> = {};
  for (const { queue } of turns) counts[queue.webhookId] = (counts[queue.webhookId] ?? 0) + 1;
  return { turns, counts };
}

type Turn = NonNullable<ReturnType<Queues['next']>>;

function finish(queues: Queues, { queue, isSlow }: Turn, wasGood: boolean): void {
  queues.finish(queue, { isSlow, wasGood, now: 0 });
}

/** Completes one good attempt of a webhook, after which nothing of it waits. */
function prove(queues: Queues, webhookId: string): void {
  fill(queues, webhookId, 1);
  finish(queues, queues.next(0)!, true);
}

describe('queues', () => {
  it('start at most 8 attempts of a webhook, and the next when one has finished', () => {
    const queues = new Queues();
    fill(queues, 'a', 20);
    const { turns, counts } = startAll(queues);
    expect(counts).toEqual({ a: ATTEMPTS_PER_WEBHOOK });
    queues.finish(turns[0]!.queue, { isSlow: turns[0]!.isSlow, wasGood: true, now: 0 });
    expect(startAll(queues).counts).toEqual({ a: 1 });
    expect(queues.size).toBe(19);
  });

  it('give turns to webhooks in the order in which deliveries are due', () => {
    const queues = new Queues();
    const later = pending('a', 5);
    const sooner = pending('a', 3);
    for (const one of [later, sooner, pending('b', 4)]) queues.add(one, 0);
    const ids = startAll(queues, 10).turns.map((turn) => turn.pending.webhookId);
    expect(ids).toEqual(['a', 'b', 'a']);
    fill(queues, 'c', 1, 20);
    expect(queues.next(19)).toBeNull();
    expect(queues.nextDueAt()).toBe(20);
    expect(queues.next(20)?.pending.webhookId).toBe('c');
  });

  it('order the deliveries of a webhook by when they are due', () => {
    const queues = new Queues();
    const dues = [5, 1, 4, 2, 3];
    for (const due of dues) queues.add(pending('a', due), 0);
    expect(startAll(queues, 10).turns.map((turn) => turn.pending.dueAt)).toEqual([1, 2, 3, 4, 5]);
  });

  it('leave slots for others however many webhooks answer slowly', () => {
    const queues = new Queues();
    const webhooks = ATTEMPTS_MAX / ATTEMPTS_PER_WEBHOOK;
    prove(queues, 'good');
    // They were attempted before and are still pending: their last answer was no 2xx.
    for (let nth = 0; nth < webhooks; nth += 1) fill(queues, `slow${nth}`, 20, 0, 1);
    expect(startAll(queues).turns).toHaveLength(SLOW_ATTEMPTS_MAX);
    fill(queues, 'good', 20);
    expect(startAll(queues).counts).toEqual({ good: ATTEMPTS_PER_WEBHOOK });
  });

  it('leave slots for proven webhooks however many new ones never answer', () => {
    const queues = new Queues();
    prove(queues, 'good');
    for (let round = 0; round < 2; round += 1) {
      for (let nth = 0; nth < ATTEMPTS_MAX / ATTEMPTS_PER_WEBHOOK; nth += 1) fill(queues, `new${round}-${nth}`, 8);
      expect(startAll(queues).turns).toHaveLength(round === 0 ? SLOW_ATTEMPTS_MAX : 0);
    }
    fill(queues, 'good', 20);
    expect(startAll(queues).counts).toEqual({ good: ATTEMPTS_PER_WEBHOOK });
  });

  it('move a webhook from the slow to the quick ones with its first good answer, and back with a bad one', () => {
    const queues = new Queues();
    fill(queues, 'good', 9);
    const { turns } = startAll(queues);
    for (let nth = 0; nth < ATTEMPTS_MAX / ATTEMPTS_PER_WEBHOOK; nth += 1) fill(queues, `bad${nth}`, 8);
    expect(startAll(queues).turns).toHaveLength(SLOW_ATTEMPTS_MAX - ATTEMPTS_PER_WEBHOOK);
    finish(queues, turns[0]!, false);
    // It waits behind the bad ones now; its slot was given to one of them.
    const { turns: next, counts } = startAll(queues);
    expect([next.length, counts.good]).toEqual([1, undefined]);
    finish(queues, turns[1]!, true);
    expect(startAll(queues).counts).toMatchObject({ good: 1 });
    fill(queues, 'good', 1);
    finish(queues, turns[2]!, false);
    expect(startAll(queues).counts).not.toHaveProperty('good');
  });

  it('start no attempt of a webhook on hold', () => {
    const queues = new Queues();
    fill(queues, 'a', 2);
    const queue = queues.get('a')!;
    queues.hold(queue);
    queues.hold(queue);
    expect(queues.next(0)).toBeNull();
    queues.release(queue, 0);
    expect(queues.next(0)).toBeNull();
    queues.release(queue, 0);
    expect(startAll(queues).counts).toEqual({ a: 2 });
  });

  it('remove a webhook for which nothing waits', () => {
    const queues = new Queues();
    fill(queues, 'a', 3);
    expect(queues.remove(queues.get('a')!, 2)).toHaveLength(2);
    expect(queues.size).toBe(1);
    expect(queues.remove(queues.get('a')!, 2)).toHaveLength(1);
    expect([...queues.all()]).toEqual([]);
    expect(queues.size).toBe(0);
  });

  it('bound the waiting deliveries of a webhook, and lower the bound with the number of webhooks', () => {
    const queues = new Queues();
    fill(queues, 'a', WAITING_PER_WEBHOOK_MAX, 9);
    expect(queues.hasRoom('a')).toBe(false);
    expect(queues.hasRoom('b')).toBe(true);
    fill(queues, 'b', 40_000, 9);
    expect(queues.hasRoom('b')).toBe(true);
    for (let nth = 0; nth < 30; nth += 1) fill(queues, `c${nth}`, 1, 9);
    expect(queues.hasRoom('b')).toBe(false);
  });
});

describe('the low watermark', () => {
  it('is the first delivery that is not finished, then the last one read', () => {
    const lowWatermark = new LowWatermark();
    expect(lowWatermark.progress()).toBeNull();
    for (const at of [3, 5, 6]) lowWatermark.add({ offset: at, appendedAt: 10 * at }, at === 3);
    expect(lowWatermark.progress()).toEqual({ offset: 5, appendedAt: 50 });
    lowWatermark.finish(6);
    expect(lowWatermark.progress()).toEqual({ offset: 5, appendedAt: 50 });
    lowWatermark.finish(5);
    expect(lowWatermark.progress()).toEqual({ offset: 6, appendedAt: 60 });
  });
});
