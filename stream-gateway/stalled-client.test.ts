/** A client that stops reading affects only itself, and is sent exactly what it missed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, openClient, openRawClient, type RawClient, until } from './testing/client.fixture.ts';
import { type GatewayHarness, openGateway } from './testing/gateway.fixture.ts';

const CHANNELS = ['svc:stream:event:evt_a', 'svc:stream:event:evt_b'] as const;
/** Dropping may last ten seconds; then a client is too slow. */
const TOO_SLOW_AFTER_MS = 12_000;
/** Between what is published during that time: the queue stays full, so that little is enough to go on dropping. */
const DROPPING_STEP_MS = 400;
const PAYLOAD = JSON.stringify({ text: 'x'.repeat(8_000) });
const BATCH = 50;

let gateway: GatewayHarness;
let quick: Client;
let stalled: RawClient;
beforeEach(async () => {
  gateway = await openGateway();
  quick = await openClient(gateway.url, gateway.token());
  stalled = await openRawClient(gateway.url, gateway.token());
  for (const channel of CHANNELS) {
    await quick.subscribe(channel);
    stalled.send({ type: 'subscribe', channel });
  }
  await until(() => stalled.frames.length === 2, 'both acknowledgements');
});
afterEach(async () => {
  stalled.tcp.destroy();
  quick.socket.terminate();
  await gateway.close();
});

/** Publishes on both channels, in turn, and waits until the quick client has received it. */
async function publishBatch(): Promise<void> {
  const newest = [];
  for (const channel of CHANNELS) newest.push(await gateway.publish(channel, BATCH, PAYLOAD));
  const wanted = newest.reduce((sum, seq) => sum + seq, 0);
  await until(() => quick.ofType('event').length >= wanted, `${wanted} events at the quick client`);
}

const dropped = async () => (await gateway.context.metrics.framesDropped.get()).values[0]?.value ?? 0;

/** Checks the frames of a subscription: every gap must be reported by the `lagged` before the next event. */
function checkLags(client: RawClient, id: unknown): { delivered: number; dropped: number } {
  let next = 1;
  let lost = 0;
  let delivered = 0;
  for (const frame of client.frames) {
    if (frame.subscription_id !== id) continue;
    if (frame.type === 'lagged') {
      expect(frame.fromSeq).toBe(next);
      expect(frame.dropped).toBe(Number(frame.toSeq) - Number(frame.fromSeq) + 1);
      next = Number(frame.toSeq) + 1;
      lost += Number(frame.dropped);
    }
    if (frame.type !== 'event') continue;
    expect(frame.seq).toBe(next);
    next += 1;
    delivered += 1;
  }
  return { delivered, dropped: lost };
}

describe('a client that stops reading', () => {
  it('loses the oldest events, which are reported exactly, while others get everything', async () => {
    stalled.tcp.pause();
    let published = 0;
    // Until the kernel's buffers and the queue are full and many events were dropped.
    while ((await dropped()) < 500) {
      await publishBatch();
      published += BATCH;
    }
    expect(quick.ofType('lagged')).toEqual([]);
    for (const channel of CHANNELS)
      expect(
        quick
          .ofType('event')
          .filter((event) => event.channel === channel)
          .map(({ seq }) => seq),
      ).toEqual(Array.from({ length: published }, (_, nth) => nth + 1));
    const lost = await dropped();
    stalled.tcp.resume();
    await until(
      () => stalled.frames.some(({ type, seq }) => type === 'event' && seq === published),
      'the newest event',
    );
    // One more on each channel, so that what was dropped of either is reported.
    for (const channel of CHANNELS) await gateway.publish(channel, 1, PAYLOAD);
    const ids = stalled.frames
      .filter(({ type }) => type === 'subscribed')
      .map(({ subscription_id }) => subscription_id);
    const newest = (id: unknown) =>
      stalled.frames.some(
        (frame) => frame.subscription_id === id && frame.type === 'event' && frame.seq === published + 1,
      );
    await until(() => ids.every(newest), 'the events after the pause');
    const received = ids.map((id) => checkLags(stalled, id));
    expect(received[0]!.dropped + received[1]!.dropped).toBe(lost);
    for (const each of received) expect(each.delivered + each.dropped).toBe(published + 1);
    expect(stalled.closeCode).toBeNull();
  }, 60_000);

  it('is sent what it missed and closed with 4008 when it reads again after more than 10 s of dropping', async () => {
    stalled.tcp.pause();
    let published = 0;
    let startedAt = Number.POSITIVE_INFINITY;
    while (Date.now() - startedAt < TOO_SLOW_AFTER_MS) {
      await publishBatch();
      published += BATCH;
      if ((await dropped()) === 0) continue;
      startedAt = Math.min(startedAt, Date.now());
      await sleep(DROPPING_STEP_MS);
    }
    expect(quick.ofType('lagged')).toEqual([]);
    stalled.tcp.resume();
    await until(() => stalled.closeCode !== null, 'the close frame');
    expect(stalled.closeCode).toBe(4008);
    expect(stalled.frames.slice(-2).map(({ type, toSeq }) => [type, toSeq])).toEqual([
      ['lagged', published],
      ['lagged', published],
    ]);
    const received = stalled.frames
      .filter(({ type }) => type === 'subscribed')
      .map(({ subscription_id }) => checkLags(stalled, subscription_id));
    for (const each of received) expect(each.delivered + each.dropped).toBe(published);
    expect(received[0]!.dropped + received[1]!.dropped).toBe(await dropped());
  }, 90_000);
});

describe('a client that stops reading, among others', () => {
  const READERS = 5;
  const CHANNEL = CHANNELS[0];
  /** Events of 16 kB, every 20 ms: 8 MB/s, which fills the buffers of the system and the gateway within seconds. */
  const EVENTS_PER_STEP = 10;
  const STEP_MS = 20;
  const LARGE_PAYLOAD = JSON.stringify({ text: 'x'.repeat(16_000) });
  const PHASE_MS = 4_000;

  let readers: Client[];
  let arrivals: number[][];
  let published = 0;
  /** Number of the last event that was checked. */
  let checked = 0;

  beforeEach(async () => {
    published = 0;
    checked = 0;
    readers = [];
    arrivals = [];
    for (let nth = 0; nth < READERS; nth += 1) {
      const reader = await openClient(gateway.url, gateway.token());
      await reader.subscribe(CHANNEL);
      const own: number[] = [];
      reader.socket.on('message', () => void own.push(performance.now()));
      readers.push(reader);
      arrivals.push(own);
    }
    return () => {
      for (const reader of readers) reader.socket.terminate();
    };
  });

  /**
   * Publishes at a fixed pace for `durationMs`. Returns what each reader received a second, as a share of what was
   * published a second: a busy machine slows both.
   */
  async function phase(durationMs: number): Promise<number[]> {
    const startedAt = performance.now();
    const before = arrivals.map(({ length }) => length);
    const steps = durationMs / STEP_MS;
    for (let step = 0; step < steps; step += 1) {
      await sleep(Math.max(0, startedAt + step * STEP_MS - performance.now()));
      published = await gateway.publish(CHANNEL, EVENTS_PER_STEP, LARGE_PAYLOAD);
    }
    const publishedMs = performance.now() - startedAt;
    const wanted = steps * EVENTS_PER_STEP;
    await until(() => arrivals.every(({ length }, at) => length >= before[at]! + wanted), 'what was published');
    return arrivals.map((times, at) => publishedMs / (times[before[at]! + wanted - 1]! - startedAt));
  }

  /** Expects that the readers received everything since the last check, in order. */
  function expectEverything(): void {
    for (const { frames } of readers) {
      const received = frames.filter(({ type }) => type === 'event' || type === 'lagged').map(({ seq }) => seq);
      expect(received).toEqual(Array.from({ length: published - checked }, (_, nth) => checked + nth + 1));
      frames.length = 0;
    }
    quick.frames.length = 0;
    checked = published;
  }

  it('does not slow them, is sent exactly what it missed, and is closed if it stays slow', async () => {
    const id = stalled.frames.find(({ channel }) => channel === CHANNEL)!.subscription_id;
    const calm = await phase(PHASE_MS);
    expectEverything();

    stalled.tcp.pause();
    const during = await phase(PHASE_MS);
    expectEverything();
    for (const [at, rate] of during.entries()) {
      expect(rate / calm[at]!).toBeGreaterThan(0.8);
      expect(rate / calm[at]!).toBeLessThan(1.2);
    }
    const lost = await dropped();
    expect(lost).toBeGreaterThan(100);
    stalled.tcp.resume();
    await until(
      () => stalled.frames.some(({ type, seq }) => type === 'event' && seq === published),
      'the newest event',
    );
    const received = checkLags(stalled, id);
    expect(received.dropped).toBe(lost);
    expect(received.delivered + received.dropped).toBe(published);

    stalled.tcp.pause();
    let startedAt = Number.POSITIVE_INFINITY;
    while (Date.now() - startedAt < TOO_SLOW_AFTER_MS) {
      await phase(5 * STEP_MS);
      expectEverything();
      if ((await dropped()) === lost) continue;
      startedAt = Math.min(startedAt, Date.now());
      await sleep(DROPPING_STEP_MS);
    }
    stalled.tcp.resume();
    await until(() => stalled.closeCode !== null, 'the close frame');
    expect(stalled.closeCode).toBe(4008);
    const receivedAtEnd = checkLags(stalled, id);
    expect(receivedAtEnd.dropped).toBe(await dropped());
    expect(receivedAtEnd.delivered + receivedAtEnd.dropped).toBe(published);
    await phase(PHASE_MS);
    expectEverything();
  }, 120_000);
});
