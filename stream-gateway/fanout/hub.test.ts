import { setTimeout as sleep } from 'node:timers/promises';
/** Tests the fan-out against a log whose records, epochs and faults the test controls. */
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { channelOf, formatChannel } from '#schemas/stream/channel-names';
import { formatCursor, parseCursor } from '#schemas/stream/cursor';
import { CONTROL_FRAMES_WAITING_MAX, SEND_QUEUE_BYTES_MAX, SOCKET_BUFFER_BYTES } from '../connection/limits.ts';
import { until } from '../testing/client.fixture.ts';
import { fakeConnection, frameOf } from '../testing/fake-socket.fixture.ts';
import { CHANNEL, epochRecord, FakeLog, gaps, open, replay, seqs, subscribe, TOPIC } from '../testing/hub.fixture.ts';
import type { CatchUpOptions } from './catch-up.ts';
import { FairScheduler } from './fair-scheduler.ts';
import { marketStatusView } from './market-status.ts';
import { Subscriptions } from './subscriptions.ts';

describe('an event that the log holds twice', () => {
  it('reaches a live subscription once', async () => {
    const log = new FakeLog();
    const { hub, reported } = await open(log);
    const { fake } = subscribe(hub);
    for (const [nth, seq] of [1, 2, 2, 3, 2, 3, 4].entries()) log.put(seq, nth);
    await until(() => seqs(fake).includes(4), 'the newest event');
    expect([seqs(fake), reported]).toEqual([[1, 2, 3, 4], []]);
  });

  it('reaches a replay once, and is not sent again after the switch to live', async () => {
    const log = new FakeLog();
    for (const [nth, seq] of [1, 2, 1, 2, 3].entries()) log.put(seq, nth, { live: false });
    const { hub } = await open(log);
    const { fake, done } = replay(hub, log, formatCursor({ epoch: 'one', channel: CHANNEL, seq: 1, offset: 0 }));
    await done;
    expect(seqs(fake)).toEqual([2, 3]);
    log.put(3, 5);
    log.put(4, 6);
    await until(() => seqs(fake).includes(4), 'the newest event');
    expect(seqs(fake)).toEqual([2, 3, 4]);
  });

  it('is distinguished from the first event of a new epoch whose record the hub has not read yet', async () => {
    const log = new FakeLog();
    const { hub } = await open(log);
    const { fake } = subscribe(hub);
    for (const seq of [1, 2, 3]) log.put(seq, seq);
    await until(() => seqs(fake).length === 3, 'three events');
    log.rebuild('two', { announced: false });
    for (const seq of [1, 2]) log.put(seq, 10 + seq, { appendedAt: 201 });
    await until(() => seqs(fake).length === 5, 'the events of the new epoch');
    expect(seqs(fake)).toEqual([1, 2, 3, 1, 2]);
    expect(fake.sent.filter(({ seq }) => seq === 1).map(({ epoch }) => epoch)).toEqual(['one', 'two']);
    expect(gaps(fake).length).toBe(1);
  });
});

describe('a sequence gap of a channel', () => {
  it('is sent to live subscribers and reported', async () => {
    const log = new FakeLog();
    const { hub, reported } = await open(log);
    const { fake, subscription } = subscribe(hub);
    for (const seq of [1, 2, 5]) log.put(seq, seq);
    await until(() => seqs(fake).includes(5), 'the event after the gap');
    expect(fake.sent.map(({ type, seq }) => seq ?? type)).toEqual([1, 2, 'gap', 5]);
    expect(parseCursor(gaps(fake)[0]!.from as string)).toMatchObject({ seq: 2, offset: 2 });
    expect(parseCursor(gaps(fake)[0]!.to as string)).toMatchObject({ seq: 4, offset: 4 });
    expect(gaps(fake)[0]).toMatchObject({ subscription_id: subscription.id, refill: '/v1/events/evt_one/spread' });
    expect(reported).toEqual([{ topic: TOPIC.name, channel: CHANNEL, epoch: 'one', fromSeq: 3, toSeq: 4 }]);
  });

  it('is sent in a replay, and between a replay and live events', async () => {
    const log = new FakeLog();
    for (const seq of [1, 4]) log.put(seq, seq, { live: false });
    const { hub, reported } = await open(log);
    const { fake, done } = replay(hub, log, null);
    await done;
    log.put(6, 6);
    await until(() => seqs(fake).includes(6), 'the newest event');
    expect(fake.sent.map(({ type, seq }) => seq ?? type)).toEqual([1, 'gap', 4, 'gap', 6]);
    expect(reported.map(({ fromSeq, toSeq }) => [fromSeq, toSeq])).toEqual([
      [2, 3],
      [5, 5],
    ]);
  });
});

describe('a rebuild', () => {
  it('in the middle of a replay restarts it, and no record of the old epoch moves it', async () => {
    const log = new FakeLog();
    for (let seq = 1; seq <= 50; seq += 1) log.put(seq, seq, { live: false });
    const { hub } = await open(log);
    // While the replay processes records of the old epoch, the hub switches to the new one.
    log.beforeHistory = async () => {
      log.beforeHistory = async () => {};
      log.rebuild('two');
      await until(() => hub.epochOf(TOPIC.name) === 'two', 'the new epoch');
      for (const seq of [1, 2, 3]) log.put(seq, seq - 1, { appendedAt: 201 });
      await until(() => log.live.length === 0, 'that the hub read them');
    };
    const { fake, subscription, done } = replay(hub, log, null);
    await done;
    await until(() => seqs(fake).length >= 3, 'the new events');
    expect(seqs(fake)).toEqual([1, 2, 3]);
    expect(new Set(fake.sent.flatMap(({ epoch }) => epoch ?? []))).toEqual(new Set(['two']));
    expect([gaps(fake).length, subscription.live]).toEqual([1, true]);
  });

  it('skips records of the previous epoch that arrive late', async () => {
    const log = new FakeLog();
    const { hub, reported } = await open(log);
    const { fake } = subscribe(hub);
    log.put(1, 1);
    await until(() => seqs(fake).length === 1, 'the first event');
    log.rebuild('two', { appendedAt: 200 });
    log.put(950, 2, { appendedAt: 199 });
    log.put(1, 3, { appendedAt: 200 });
    log.put(2, 4, { appendedAt: 201 });
    await until(() => seqs(fake).length === 3, 'the new events');
    expect([seqs(fake), reported]).toEqual([[1, 1, 2], []]);
  });
});

describe('a cursor', () => {
  it('of another channel is answered by a gap and all retained events', async () => {
    const log = new FakeLog();
    for (let seq = 1; seq <= 5; seq += 1) log.put(seq, seq, { live: false });
    const { hub } = await open(log);
    const other = formatChannel(channelOf({ kind: 'event', universalId: 'evt_two' }));
    const foreign = formatCursor({ epoch: 'one', channel: other, seq: 3, offset: 3 });
    const { fake, subscription, done } = replay(hub, log, foreign);
    await done;
    expect(gaps(fake)).toMatchObject([{ subscription_id: subscription.id, from: foreign }]);
    expect(seqs(fake)).toEqual([1, 2, 3, 4, 5]);
  });

  /** Three events of the channel at the offsets 100 to 102, after 100 events of others. */
  async function openBusy() {
    const log = new FakeLog();
    for (let offset = 0; offset < 100; offset += 1) log.put(1, offset, { live: false, key: 'another' });
    for (const seq of [1, 2, 3]) log.put(seq, 99 + seq, { live: false });
    return { log, ...(await open(log)) };
  }
  const forged = (seq: number) => formatCursor({ epoch: 'one', channel: CHANNEL, seq, offset: 102 });

  it('with a number that was never issued does not mute the channel for others', async () => {
    const { log, hub, reported } = await openBusy();
    await replay(hub, log, forged(50)).done;
    const { fake } = subscribe(hub);
    for (const seq of [4, 5]) log.put(seq, 99 + seq);
    await until(() => seqs(fake).includes(5), 'the newest event');
    expect([seqs(fake), gaps(fake), reported]).toEqual([[4, 5], [], []]);
  });

  it.each([1, 2])('with the number %i, below the true one, causes no report of a sequence gap', async (seq) => {
    const { log, hub, reported } = await openBusy();
    const { fake, done } = replay(hub, log, forged(seq));
    await done;
    const honest = subscribe(hub).fake;
    log.put(4, 103);
    await until(() => seqs(honest).includes(4), 'the newest event');
    expect([gaps(fake).length, gaps(honest), reported]).toEqual([1, [], []]);
  });

  it('with a number above the count of records is answered like one of another channel', async () => {
    const { log, hub } = await openBusy();
    const { fake, done } = replay(hub, log, forged(1_000_000));
    await done;
    expect(gaps(fake)).toMatchObject([{ from: forged(1_000_000) }]);
    expect(seqs(fake)).toEqual([1, 2, 3]);
  });

  it('with a number ahead of the newest event is answered like one of another channel', async () => {
    const { log, hub } = await openBusy();
    const first = subscribe(hub).fake;
    log.put(4, 103);
    await until(() => seqs(first).includes(4), 'the newest event');
    const ahead = formatCursor({ epoch: 'one', channel: CHANNEL, seq: 5, offset: 103 });
    const { fake, done } = replay(hub, log, ahead);
    await done;
    expect([gaps(fake).length, seqs(fake)]).toEqual([1, [1, 2, 3, 4]]);
    const exact = replay(hub, log, formatCursor({ epoch: 'one', channel: CHANNEL, seq: 4, offset: 103 }));
    await exact.done;
    expect([gaps(exact.fake), seqs(exact.fake)]).toEqual([[], []]);
  });

  it('whose next event does not follow it is answered by a gap, live and in a replay', async () => {
    const { log, hub, reported } = await openBusy();
    const live = replay(hub, log, forged(3));
    await live.done;
    log.put(6, 103);
    await until(() => seqs(live.fake).includes(6), 'the event after the gap');
    const again = replay(hub, log, forged(3));
    await again.done;
    for (const { fake } of [live, again]) {
      expect(fake.sent.map(({ type, seq }) => seq ?? type)).toEqual(['gap', 6]);
      expect(parseCursor(gaps(fake)[0]!.from as string)).toMatchObject({ seq: 3, offset: 102 });
      expect(parseCursor(gaps(fake)[0]!.to as string)).toMatchObject({ seq: 5, offset: 102 });
    }
    expect(reported).toEqual([]);
  });
});

describe('a replay', () => {
  it('of few events among many others leaves turns to other replays', async () => {
    const log = new FakeLog();
    const padding = ' '.repeat(32 * 1024);
    for (let offset = 0; offset < 1_500; offset += 1) log.put(1, offset, { live: false, key: 'another', padding });
    log.put(1, 1_500, { live: false });
    const { hub } = await open(log);
    const scheduler: CatchUpOptions['scheduler'] = new FairScheduler({ max: 1, maxPerOwner: 1 });
    const ended: string[] = [];
    const long = replay(hub, log, null, scheduler);
    const short = replay(
      hub,
      log,
      formatCursor({ epoch: 'one', channel: CHANNEL, seq: null, offset: 1_499 }),
      scheduler,
    );
    await Promise.all([long.done.then(() => ended.push('long')), short.done.then(() => ended.push('short'))]);
    expect(ended).toEqual(['short', 'long']);
    expect([seqs(long.fake), seqs(short.fake)]).toEqual([[1], [1]]);
  });
});

describe('a replay of an organization without quota', () => {
  it('waits for the next window, drops nothing, and reports the quota once in each window', async () => {
    const log = new FakeLog();
    for (let seq = 1; seq <= 5; seq += 1) log.put(seq, seq);
    const { hub } = await open(log);
    const { fake, subscription, done } = replay(hub, log, null);
    fake.allowance.left = 2;
    await until(() => fake.sent.some(({ error }) => error === 'quota_exceeded'), 'the first error');
    expect(seqs(fake)).toEqual([1, 2]);
    await sleep(50);
    fake.allowance.left = 2;
    await until(() => seqs(fake).length === 4, 'the events of the second window');
    await until(() => fake.sent.filter(({ error }) => error === 'quota_exceeded').length === 2, 'the second error');
    await sleep(50);
    fake.allowance.left = 10;
    await done;
    expect(fake.sent.map(({ seq, error }) => seq ?? error)).toEqual([
      1,
      2,
      'quota_exceeded',
      3,
      4,
      'quota_exceeded',
      5,
    ]);
    expect([subscription.live, fake.counts.dropped, subscription.dropped]).toEqual([true, 0, null]);
  });

  it('drops nothing of what its client has not read when another connection uses up the quota', async () => {
    const log = new FakeLog();
    for (let seq = 1; seq <= 20; seq += 1) log.put(seq, seq, { live: false });
    const { hub } = await open(log);
    const { fake, subscription, done } = replay(hub, log, null);
    fake.allowance.left = 100;
    fake.bufferedBytes = SOCKET_BUFFER_BYTES;
    await sleep(50);
    fake.allowance.left = 0;
    fake.drain();
    await until(() => fake.sent.some(({ error }) => error === 'quota_exceeded'), 'the error');
    fake.allowance.left = 100;
    await done;
    expect(seqs(fake)).toEqual(Array.from({ length: 20 }, (_, nth) => nth + 1));
    expect([subscription.live, fake.counts.dropped, subscription.dropped]).toEqual([true, 0, null]);
  });
});

describe('a replay to a client that reads slowly', () => {
  it('has no event in the queue, where events of other channels would push it out', async () => {
    const log = new FakeLog();
    for (let seq = 1; seq <= 20; seq += 1) log.put(seq, seq, { live: false });
    const { hub } = await open(log);
    const { fake, done } = replay(hub, log, null);
    fake.bufferedBytes = SOCKET_BUFFER_BYTES;
    await sleep(50);
    const other = fake.subscribe('evt_two');
    const large = SEND_QUEUE_BYTES_MAX / 4;
    for (let seq = 1; seq <= 5; seq += 1) fake.connection.bufferRun([frameOf(seq, large)], other);
    fake.connection.flush();
    fake.drain();
    await done;
    const ofOther = fake.sent.filter(({ subscription_id }) => subscription_id === other.id);
    expect(ofOther.map(({ type, seq }) => seq ?? type)).toEqual(['lagged', 3, 4, 5]);
    expect(fake.sent.filter(({ type }) => type === 'lagged').length).toBe(1);
    expect(fake.sent.filter(({ type }) => type === 'event').length).toBe(23);
  });
});

describe('reading', () => {
  it('fetches unknown schemas, also of epochs, and continues', async () => {
    const log = new FakeLog();
    const { hub, faults, undecodable } = await open(log);
    const { fake } = subscribe(hub);
    log.live.push(epochRecord({ epoch: 'two', unknown: true }, 150, 1));
    const frame = log.put(1, 1, { live: false, appendedAt: 200 });
    log.live.push({ ...frame, value: Buffer.from(JSON.stringify({ seq: 1, unknown: true })) });
    await until(() => seqs(fake).length === 1, 'the event');
    expect(fake.sent.at(-1)).toMatchObject({ epoch: 'two', seq: 1 });
    expect([faults, undecodable]).toEqual([[], []]);
  });

  it('reports a fault that ends it', async () => {
    const log = new FakeLog();
    const { faults } = await open(log);
    log.fault = new Error('broken');
    await until(() => faults.length === 1, 'the fault');
    expect(faults).toEqual([log.fault]);
  });
});

it('a connection that is closed by the acknowledgement of its subscription leaves no subscription behind', async () => {
  const log = new FakeLog();
  const { hub: on } = await open(log);
  const subscriptions = new Subscriptions({
    log: log.log,
    hub: on,
    logger: pino({ enabled: false }),
    status: { markets: marketStatusView.initialState(), lagging: new Map() },
  });
  const fake = fakeConnection();
  fake.onEnd = () => subscriptions.removeAll(fake.connection);
  fake.stalled = true;
  fake.bufferedBytes = SOCKET_BUFFER_BYTES;
  for (let nth = 0; nth < CONTROL_FRAMES_WAITING_MAX; nth += 1) fake.connection.sendControl({ type: 'pong' });
  expect(fake.ended).toEqual([]);
  subscriptions.subscribe(fake.connection, CHANNEL, null);
  expect(fake.ended).toEqual([{ code: 4008, reason: 'too slow' }]);
  expect([...on.subscribersOf(CHANNEL)]).toEqual([]);
});
