import { describe, expect, it } from 'vitest';
import { fakeConnection, frameOf } from '../testing/fake-socket.fixture.ts';
import { CONTROL_FRAMES_WAITING_MAX, SEND_QUEUE_BYTES_MAX, SOCKET_BUFFER_BYTES, TOO_SLOW_MAX_MS } from './limits.ts';

const LARGE = 10_000;

/** A connection whose client has stopped reading and whose queue has begun to drop. */
function dropping() {
  const fake = fakeConnection();
  const subscription = fake.subscribe();
  fake.stalled = true;
  let seq = 0;
  const push = (frames = 1) => {
    for (let nth = 0; nth < frames; nth += 1) {
      seq += 1;
      fake.connection.bufferRun([frameOf(seq, LARGE)], subscription);
      fake.connection.flush();
    }
  };
  while (fake.counts.dropped === 0) push();
  return { fake, subscription, push, newest: () => seq };
}

describe('a connection', () => {
  it('sends buffered events under one cork, each with the id of its own subscription', () => {
    const fake = fakeConnection();
    const [one, other] = [fake.subscribe(), fake.subscribe()];
    const shared = frameOf(1);
    expect(fake.connection.bufferRun([shared], one)).toBe(true);
    expect(fake.connection.bufferRun([shared], other)).toBe(false);
    fake.connection.flush();
    fake.connection.flush();
    expect(fake.sent.map(({ subscription_id }) => subscription_id)).toEqual([one.id, other.id]);
    expect(fake.counts).toMatchObject({ corks: 1, sent: 2, dropped: 0 });
  });

  it('sends control frames in order with the events', () => {
    const fake = fakeConnection();
    const subscription = fake.subscribe();
    fake.connection.bufferRun([frameOf(1)], subscription);
    fake.connection.sendControl({ type: 'pong' });
    expect(fake.connection.bufferRun([frameOf(2)], subscription)).toBe(true);
    fake.connection.flush();
    expect(fake.sent.map(({ type, seq }) => seq ?? type)).toEqual([1, 'pong', 2]);
  });

  it('sends no event of a subscription that ended while its events waited', () => {
    const fake = fakeConnection();
    const subscription = fake.subscribe();
    fake.connection.bufferRun([frameOf(1)], subscription);
    subscription.closed = true;
    fake.connection.flush();
    expect(fake.sent).toEqual([]);
  });

  it('does not use its socket after that is closed', () => {
    const fake = fakeConnection();
    fake.connection.bufferRun([frameOf(1)], fake.subscribe());
    fake.connection.closed = true;
    fake.connection.flush();
    fake.connection.sendControl({ type: 'pong' });
    fake.connection.onDrain();
    fake.connection.end({ code: 1001, reason: 'idle' });
    expect([fake.sent, fake.ended, fake.connection.waitingBytes]).toEqual([[], [], 0]);
  });

  it('buffers little in the socket and queues the rest, 5 MiB together at most', () => {
    const { fake, push } = dropping();
    push(2_000);
    expect(fake.bufferedBytes).toBeLessThan(SOCKET_BUFFER_BYTES + 2 * LARGE);
    expect(fake.connection.waitingBytes).toBeLessThanOrEqual(SEND_QUEUE_BYTES_MAX);
    expect(fake.connection.waitingBytes).toBeGreaterThan(SEND_QUEUE_BYTES_MAX - 2 * LARGE);
  });

  it('reports exactly what was dropped, once, before the next event', () => {
    const { fake, push, newest } = dropping();
    push(100);
    fake.drain();
    const lagged = fake.sent.filter(({ type }) => type === 'lagged');
    expect(lagged.length).toBe(1);
    const before = Number(fake.sent[fake.sent.indexOf(lagged[0]!) - 1]!.seq);
    const after = Number(fake.sent[fake.sent.indexOf(lagged[0]!) + 1]!.seq);
    expect(lagged[0]).toMatchObject({ fromSeq: before + 1, toSeq: after - 1, dropped: after - before - 1 });
    expect(fake.counts.dropped).toBe(after - before - 1);
    expect(fake.sent.at(-1)?.seq).toBe(newest());
    expect(fake.connection.waitingBytes).toBe(0);
  });

  it('sends from its queue at the next flush even if the socket never reported that it drained', () => {
    const { fake, push, newest } = dropping();
    fake.stalled = false;
    fake.bufferedBytes = 0;
    push();
    expect(fake.sent.at(-1)?.seq).toBe(newest());
  });

  it('is too slow after it has been dropping for 10 s, and not a millisecond before', () => {
    const { fake, push } = dropping();
    fake.nowMs += 9_999;
    push();
    fake.connection.checkTooSlow(fake.nowMs);
    expect(fake.connection.isTooSlow).toBe(false);
    fake.nowMs += 1;
    fake.connection.checkTooSlow(fake.nowMs);
    expect(fake.connection.isTooSlow).toBe(true);
  });

  it('is sent what each subscription missed when it reads again, and is then closed with 4008', () => {
    const { fake, push, newest } = dropping();
    const [other, quiet] = [fake.subscribe(), fake.subscribe()];
    fake.connection.bufferRun([frameOf(70), frameOf(71)], other);
    fake.connection.sendControl({ type: 'pong' });
    fake.nowMs += 10_000;
    fake.connection.checkTooSlow(fake.nowMs);
    expect(fake.connection.waitingBytes).toBeLessThan(SOCKET_BUFFER_BYTES + 2 * LARGE);
    push(1_000);
    fake.connection.bufferRun([frameOf(72)], other);
    fake.connection.flush();
    expect(fake.connection.waitingBytes).toBeLessThan(SOCKET_BUFFER_BYTES + 2 * LARGE);
    expect(fake.ended).toEqual([]);
    const sentBefore = fake.counts.sent;

    fake.drain();
    expect(fake.sent.slice(sentBefore)).toEqual([
      { type: 'pong' },
      expect.objectContaining({
        type: 'lagged',
        fromSeq: sentBefore + 1,
        toSeq: newest(),
        dropped: newest() - sentBefore,
      }),
      { type: 'lagged', subscription_id: other.id, fromSeq: 70, toSeq: 72, dropped: 3 },
    ]);
    expect(fake.ended).toEqual([{ code: 4008, reason: 'too slow' }]);
    expect(fake.counts.dropped).toBe(newest() - sentBefore + 3);
    expect(fake.sent.some(({ subscription_id }) => subscription_id === quiet.id)).toBe(false);
  });

  it('is closed only when its socket is empty, since a close frame behind unread bytes would be discarded', () => {
    const { fake, push } = dropping();
    fake.nowMs += 10_000;
    push();
    const sentBefore = fake.sent.length;
    fake.bufferedBytes = 1;
    fake.connection.onDrain();
    expect([fake.sent.length, fake.ended]).toEqual([sentBefore, []]);
    fake.bufferedBytes = 0;
    fake.connection.checkTooSlow(fake.nowMs);
    expect(fake.sent.at(-1)?.type).toBe('lagged');
    expect(fake.ended).toEqual([{ code: 4008, reason: 'too slow' }]);
  });

  it('is closed in any case when its client has not read for another minute', () => {
    const { fake, push } = dropping();
    fake.nowMs += 10_000;
    push();
    fake.nowMs += TOO_SLOW_MAX_MS - 1;
    push();
    expect(fake.ended).toEqual([]);
    fake.nowMs += 1;
    fake.connection.checkTooSlow(fake.nowMs);
    expect(fake.ended).toEqual([{ code: 4008, reason: 'too slow' }]);
  });

  it('restarts the 10 s only after the queue fell below half', () => {
    const { fake, push } = dropping();
    const readUntil = (bytes: number) => {
      // The client reads a little at a time.
      while (fake.connection.waitingBytes >= bytes) {
        fake.bufferedBytes = 0;
        fake.connection.onDrain();
      }
    };
    fake.nowMs += 5_000;
    readUntil(SEND_QUEUE_BYTES_MAX / 2 + 200_000);
    fake.nowMs += 4_999;
    push();
    readUntil(SEND_QUEUE_BYTES_MAX / 2);
    const before = fake.counts.dropped;
    while (fake.counts.dropped === before) push();
    fake.nowMs += 9_999;
    push();
    expect(fake.connection.isTooSlow).toBe(false);
    fake.nowMs += 1;
    push();
    expect(fake.connection.isTooSlow).toBe(true);
  });

  it('is closed with 4008 when it keeps sending requests without reading the answers', () => {
    const fake = fakeConnection();
    fake.stalled = true;
    fake.bufferedBytes = SOCKET_BUFFER_BYTES;
    for (let nth = 0; nth < CONTROL_FRAMES_WAITING_MAX; nth += 1) fake.connection.sendControl({ type: 'pong' });
    expect(fake.ended).toEqual([]);
    fake.connection.sendControl({ type: 'pong' });
    expect(fake.ended).toEqual([{ code: 4008, reason: 'too slow' }]);
  });
});

describe('the quota of an organization', () => {
  it('is counted down by every frame; beyond it one error is sent and events count as dropped until some is left', () => {
    const fake = fakeConnection();
    const [one, other] = [fake.subscribe(), fake.subscribe()];
    const { allowance, connection } = fake;
    allowance.left = 3;
    connection.bufferRun([frameOf(1), frameOf(2)], one);
    connection.bufferRun([frameOf(7), frameOf(8), frameOf(9)], other);
    connection.flush();
    connection.bufferRun([frameOf(3)], one);
    connection.flush();
    expect(fake.sent.map(({ type, seq, error }) => seq ?? error ?? type)).toEqual([1, 2, 7, 'quota_exceeded']);
    expect(allowance).toEqual({ left: 0, sent: 3 });
    expect(fake.counts).toMatchObject({ sent: 3, dropped: 3 });

    allowance.left = 1;
    connection.bufferRun([frameOf(4), frameOf(5)], one);
    connection.flush();
    expect(fake.sent.slice(4)).toEqual([
      { type: 'lagged', subscription_id: one.id, fromSeq: 3, toSeq: 3, dropped: 1 },
      expect.objectContaining({ seq: 4 }),
      { type: 'error', error: 'quota_exceeded' },
    ]);
    connection.sendControl({ type: 'pong' });
    expect(fake.sent.at(-1)).toEqual({ type: 'pong' });
    expect(other.dropped).toEqual({ fromSeq: 8, toSeq: 9, dropped: 2 });
  });

  it('is charged for frames that are sent, not for frames that wait', () => {
    const fake = fakeConnection();
    const subscription = fake.subscribe();
    fake.allowance.left = 4;
    fake.bufferedBytes = SOCKET_BUFFER_BYTES;
    fake.connection.bufferRun([frameOf(1), frameOf(2), frameOf(3)], subscription);
    fake.connection.flush();
    expect(fake.allowance).toEqual({ left: 4, sent: 0 });
    // Another connection of the organization used the rest meanwhile.
    fake.allowance.left = 1;
    fake.drain();
    expect(fake.sent.map(({ type, seq }) => seq ?? type)).toEqual([1, 'error']);
    expect(subscription.dropped).toEqual({ fromSeq: 2, toSeq: 3, dropped: 2 });
  });
});
