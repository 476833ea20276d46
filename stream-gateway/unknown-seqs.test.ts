/**
 * Numbers of a channel that do not start with 1, or skip some: the writer forgets channels that are finished, and a
 * channel that publishes after that starts above the forgotten numbers of its partition.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatChannel } from '#schemas/stream/channel-names';
import { parseCursor } from '#schemas/stream/cursor';
import { type ChannelFrame, channelTopics } from '#schemas/topics/channels';
import { partitionOf } from '#schemas/topics/topic';
import { type Client, openClient, until } from './testing/client.fixture.ts';
import { type GatewayHarness, openGateway } from './testing/gateway.fixture.ts';

const TOPIC = channelTopics.events;
/** Channels of one partition. */
const [FORGOTTEN, NEW] = Array.from({ length: 50 }, (_, nth) =>
  formatChannel({ kind: 'event', universalId: `evt_${nth}` }),
).filter((channel, _, [first]) => partitionOf(channel, TOPIC.partitions) === partitionOf(first!, TOPIC.partitions)) as [
  string,
  string,
];

let gateway: GatewayHarness;
let staying: Client;
beforeAll(async () => {
  gateway = await openGateway();
  staying = await openClient(gateway.url, gateway.token());
});
afterAll(async () => {
  staying.socket.terminate();
  await gateway.close();
});

const appendFrame = (channel: string, seq: number) => {
  const body = { type: 'event.spread', provider: null, marketId: null, receivedAt: 7, payload: '{}' };
  return gateway.append<ChannelFrame>(TOPIC, channel, { channel, seq, ...body });
};

it('a first number above 1 is no gap for anyone, and its cursor is valid', async () => {
  const { subscription_id: before } = await staying.subscribe(FORGOTTEN);
  for (const seq of [1, 2, 3]) await appendFrame(FORGOTTEN, seq);
  await until(() => staying.seqs(before).length === 3, 'the events before');
  // Now the writer forgets that channel.
  const live = await staying.subscribe(NEW);
  for (const seq of [4, 5]) await appendFrame(NEW, seq);
  await until(() => staying.seqs(live.subscription_id).length === 2, 'the first events');
  const [first] = staying.ofType('event').filter(({ channel }) => channel === NEW);
  const later = await openClient(gateway.url, gateway.token());
  for (const [since, seqs] of [
    ['earliest', [4, 5]],
    [live.cursor as string, [4, 5]],
    [first!.cursor as string, [5]],
  ] as const) {
    const { subscription_id } = await later.subscribe(NEW, since);
    await until(() => later.seqs(subscription_id).length === seqs.length, `what comes after ${since}`);
    expect(later.seqs(subscription_id)).toEqual(seqs);
  }
  expect([...staying.ofType('gap'), ...later.ofType('gap')]).toEqual([]);
  later.socket.terminate();
});

it('only subscribers with a number from before the channel was forgotten are sent a gap up to where the numbers continue', async () => {
  const newer = await openClient(gateway.url, gateway.token());
  const last = staying.ofType('event').findLast(({ channel }) => channel === FORGOTTEN)!;
  await appendFrame(FORGOTTEN, 6);
  const events = () => staying.ofType('event').filter(({ channel }) => channel === FORGOTTEN);
  await until(() => events().length === 4, 'the event after');
  const since = await newer.subscribe(FORGOTTEN, last.cursor as string);
  await until(() => newer.seqs(since.subscription_id).length === 1, 'the event after');
  for (const client of [staying, newer]) {
    const gaps = client.ofType('gap');
    expect(gaps).toHaveLength(1);
    expect(parseCursor(gaps[0]!.from as string)).toMatchObject({ seq: 3 });
    expect(parseCursor(gaps[0]!.to as string)).toMatchObject({ seq: 5 });
  }
  const { subscription_id } = await newer.subscribe(FORGOTTEN);
  await appendFrame(FORGOTTEN, 7);
  await until(() => newer.seqs(subscription_id).length === 1, 'the next event');
  expect(newer.ofType('gap')).toHaveLength(1);
  expect(newer.seqs(since.subscription_id)).toEqual([6, 7]);
  newer.socket.terminate();
});
