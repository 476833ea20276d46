import { describe, expect, it } from 'vitest';
import type { EncodedFrame } from './event-frame.ts';
import { type Outgoing, SendQueue } from './send-queue.ts';
import type { Subscription } from './subscription.ts';

const subscription = () => ({ dropped: null }) as unknown as Subscription;
const event = (of: Subscription, seq: number, bytes = 10): Outgoing => ({
  subscription: of,
  frame: { seq, size: bytes } as EncodedFrame,
});
const control = (bytes = 10): Outgoing => ({ control: Buffer.alloc(bytes) });
const drain = (queue: SendQueue) => {
  const seqs: (number | 'control')[] = [];
  for (let item = queue.shift(); item; item = queue.shift()) seqs.push('frame' in item ? item.frame.seq : 'control');
  return seqs;
};

describe('the send queue', () => {
  it('queues everything up to its bound', () => {
    const queue = new SendQueue(30);
    const of = subscription();
    expect([1, 2, 3].map((seq) => queue.push(event(of, seq), 0))).toEqual([0, 0, 0]);
    expect(queue.bytes).toBe(30);
    expect(of.dropped).toBeNull();
    expect(drain(queue)).toEqual([1, 2, 3]);
    expect(queue.empty).toBe(true);
  });

  it('drops the oldest events beyond its bound and counts them exactly', () => {
    const queue = new SendQueue(30);
    const of = subscription();
    for (let seq = 1; seq <= 10; seq += 1) queue.push(event(of, seq), 0);
    expect(of.dropped).toEqual({ fromSeq: 1, toSeq: 7, dropped: 7 });
    expect(drain(queue)).toEqual([8, 9, 10]);
  });

  it('counts dropped events per subscription', () => {
    const queue = new SendQueue(20);
    const [a, b] = [subscription(), subscription()];
    queue.push(event(a, 5), 0);
    queue.push(event(b, 70), 0);
    queue.push(event(a, 6), 0);
    queue.push(event(b, 71), 0);
    expect(a.dropped).toEqual({ fromSeq: 5, toSeq: 5, dropped: 1 });
    expect(b.dropped).toEqual({ fromSeq: 70, toSeq: 70, dropped: 1 });
    expect(drain(queue)).toEqual([6, 71]);
  });

  it('counts the bytes in the socket against the bound', () => {
    const queue = new SendQueue(30);
    const of = subscription();
    expect(queue.push(event(of, 1), 20)).toBe(0);
    expect(queue.push(event(of, 2), 20)).toBe(1);
    expect(drain(queue)).toEqual([2]);
  });

  it('never drops control frames', () => {
    const queue = new SendQueue(20);
    const of = subscription();
    queue.push(control(), 0);
    queue.push(event(of, 1), 0);
    queue.push(control(), 0);
    queue.push(event(of, 2), 0);
    expect(drain(queue)).toEqual(['control', 'control']);
    expect(of.dropped).toEqual({ fromSeq: 1, toSeq: 2, dropped: 2 });
  });

  it('drops all its events, and nothing else, in dropEvents', () => {
    const queue = new SendQueue(100);
    const [a, b] = [subscription(), subscription()];
    for (const item of [event(a, 1), control(), event(b, 7), event(a, 2)]) queue.push(item, 0);
    expect(queue.dropEvents()).toBe(3);
    expect([a.dropped, b.dropped]).toEqual([
      { fromSeq: 1, toSeq: 2, dropped: 2 },
      { fromSeq: 7, toSeq: 7, dropped: 1 },
    ]);
    expect([queue.bytes, drain(queue)]).toEqual([10, ['control']]);
  });

  it('stays consistent over many pushes, drops and shifts', () => {
    const queue = new SendQueue(1_000);
    const of = subscription();
    const got: (number | 'control')[] = [];
    let dropped = 0;
    for (let seq = 1; seq <= 20_000; seq += 1) {
      dropped += queue.push(event(of, seq), 0);
      if (seq % 3 === 0) {
        const item = queue.shift();
        if (item && 'frame' in item) got.push(item.frame.seq);
      }
    }
    got.push(...drain(queue));
    expect(got.length + dropped).toBe(20_000);
    expect(got).toEqual([...got].sort((a, b) => Number(a) - Number(b)));
    expect(queue.bytes).toBe(0);
  });

  it('drops events behind control frames and counts the waiting control frames', () => {
    const queue = new SendQueue(3_000);
    const of = subscription();
    let dropped = 0;
    for (let seq = 1; seq <= 5_000; seq += 1) {
      if (seq % 50 === 0) dropped += queue.push(control(), 0);
      dropped += queue.push(event(of, seq), 0);
    }
    expect(queue.controls).toBe(100);
    expect(queue.bytes).toBeLessThanOrEqual(3_000);
    expect(of.dropped).toEqual({ fromSeq: 1, toSeq: dropped, dropped });
    const left = drain(queue);
    expect(left.filter((item) => item === 'control').length).toBe(100);
    expect(left.filter((item) => item !== 'control')).toEqual(
      Array.from({ length: 5_000 - dropped }, (_, nth) => dropped + nth + 1),
    );
    expect([queue.controls, queue.bytes, queue.empty]).toEqual([0, 0, true]);
  });
});
