/** What subscribers are sent when history was removed or the numbers restart. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatCursor, parseCursor } from '#schemas/stream/cursor';
import { channelTopics } from '#schemas/topics/channels';
import { partitionOf } from '#schemas/topics/topic';
import { type Client, openClient, until } from './testing/client.fixture.ts';
import { type GatewayHarness, openGateway } from './testing/gateway.fixture.ts';

const CHANNEL = 'svc:stream:arbitrage:evt_one';
const DAY_MS = 86_400_000;

let gateway: GatewayHarness;
let client: Client;
beforeEach(async () => {
  gateway = await openGateway();
  client = await openClient(gateway.url, gateway.token());
});
afterEach(async () => {
  client.socket.terminate();
  await gateway.close();
});

async function cursorOf(seq: number): Promise<string> {
  const { subscription_id } = await client.subscribe(CHANNEL, 'earliest');
  await until(() => client.seqs(subscription_id).includes(seq), `the event ${seq}`);
  return client.ofType('event').find((event) => event.seq === seq)!.cursor as string;
}

describe('a cursor that the log no longer reaches back to', () => {
  it('is answered by a gap with the REST path to refill it, then by all retained events', async () => {
    await gateway.publish(CHANNEL, 5);
    const cursor = await cursorOf(2);
    await gateway.context.log.maintain(Date.now() + 3 * DAY_MS, { rawMaxAgeMs: DAY_MS, rawMaxBytes: 1e12 });
    await gateway.publish(CHANNEL, 5);
    const later = await openClient(gateway.url, gateway.token());
    const { subscription_id } = await later.subscribe(CHANNEL, cursor);
    await until(() => later.seqs(subscription_id).at(-1) === 10, 'the newest event');
    const [gap] = later.ofType('gap');
    expect(gap).toEqual({
      type: 'gap',
      subscription_id,
      from: cursor,
      to: expect.any(String),
      refill: '/v1/events/evt_one/arbitrage',
    });
    const first = later.seqs(subscription_id)[0]!;
    expect(first).toBeGreaterThan(3);
    expect(later.frames.indexOf(gap!)).toBeLessThan(later.frames.findIndex(({ type }) => type === 'event'));
    // The retained events begin where the gap ends: `to` is a cursor without a further gap.
    const again = await later.subscribe(CHANNEL, gap!.to as string);
    await until(() => later.seqs(again.subscription_id).at(-1) === 10, 'the newest event again');
    expect(later.seqs(again.subscription_id)).toEqual(later.seqs(subscription_id));
    expect(later.ofType('gap').length).toBe(1);
    later.socket.terminate();
  });

  it('is answered by a gap without a refill if there is no REST path', async () => {
    const channel = 'svc:stream:anomaly:all';
    const { cursor } = await client.subscribe(channel);
    const { epoch } = parseCursor(cursor as string)!;
    const since = formatCursor({ epoch, channel, seq: 1, offset: 1_000 });
    const { subscription_id } = await client.subscribe(channel, since);
    await until(() => client.ofType('gap').length === 1, 'the gap');
    expect(client.ofType('gap')[0]).toMatchObject({ subscription_id, refill: null });
  });
});

describe('a rebuilt topic', () => {
  it('answers a cursor of the previous epoch by a gap and the new events from the first', async () => {
    await gateway.publish(CHANNEL, 5);
    const cursor = await cursorOf(5);
    await gateway.rebuild();
    await gateway.publish(CHANNEL, 8);
    const later = await openClient(gateway.url, gateway.token());
    const { subscription_id } = await later.subscribe(CHANNEL, cursor);
    await until(() => later.seqs(subscription_id).length >= 8, 'the new events');
    expect(later.seqs(subscription_id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(later.ofType('gap').length).toBe(1);
    later.socket.terminate();
  });

  it('is announced by a gap to live subscribers, who get the new events with the new epoch', async () => {
    const ack = await client.subscribe(CHANNEL);
    await gateway.publish(CHANNEL, 5);
    await until(() => client.ofType('event').length === 5, 'the old events');
    await gateway.rebuild();
    await until(() => client.ofType('gap').length === 1, 'the gap');
    await gateway.publish(CHANNEL, 3);
    await until(() => client.ofType('event').length === 8, 'the new events');
    const fresh = client.ofType('event').slice(5);
    expect(fresh.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    const old = parseCursor(ack.cursor as string)!.epoch;
    expect(new Set(fresh.map(({ epoch }) => epoch === old))).toEqual(new Set([false]));
  });
});

describe('an undecodable record', () => {
  it('is skipped, counted once, and stops neither the fan-out nor a replay', async () => {
    const live = await client.subscribe(CHANNEL);
    const topic = channelTopics.events;
    const at = { topic: topic.name, partition: partitionOf(CHANNEL, topic.partitions), key: CHANNEL };
    await gateway.publish(CHANNEL, 1);
    await gateway.context.log.append([{ ...at, value: Buffer.from('rubbish'), receivedAt: 8, seq: 0 }]);
    await gateway.publish(CHANNEL, 1);
    await until(() => client.seqs(live.subscription_id).length === 2, 'both events');
    const { subscription_id } = await client.subscribe(CHANNEL, 'earliest');
    await until(() => client.seqs(subscription_id).length === 2, 'both events again');
    const { values } = await gateway.context.metrics.deadLetters.get();
    expect(values).toEqual([{ labels: { topic: topic.name, reason: 'malformed' }, value: 1 }]);
    expect(gateway.context.health.report().status).toBe('ok');
  });
});
