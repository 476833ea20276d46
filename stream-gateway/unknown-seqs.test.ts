/**
 * Numbers of a channel that do not begin with 1, or go on higher: its writer forgets channels that are over, and what
 * speaks after that begins above what was forgotten in its partition.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatChannel } from '#schemas/stream/channel-names';
import { parseCursor } from '#schemas/stream/cursor';
import { type ChannelFrame, channelTopics } from '#schemas/topics/channels';
import { partitionOf } from '#schemas/topics/topic';
import { type Client, openClient, until } from './testing/client.fixture.ts';
import { type GatewayWorld, openGateway } from './testing/gateway.fixture.ts';

const TOPIC = channelTopics.events;
/** Channels of one partition. */
const [FORGOTTEN, NEW] = Array.from({ length: 50 }, (_, nth) =>
  formatChannel({ kind: 'event', universalId: `evt_${nth}` }),
).filter((channel, _, [first]) => partitionOf(channel, TOPIC.partitions) === partitionOf(first!, TOPIC.partitions)) as [
  string,
  string,
];

let world: GatewayWorld;
let staying: Client;
beforeAll(async () => {
  world = await openGateway();
  staying = await openClient(world.address, world.token());
});
afterAll(async () => {
  staying.socket.terminate();
  await world.close();
});

const tell = (channel: string, seq: number) => {
  const body = { type: 'event.spread', provider: null, marketId: null, receivedAt: 7, payload: '{}' };
  return world.append<ChannelFrame>(TOPIC, channel, { channel, seq, ...body });
};

it('a first number above 1 is no gap for anybody, and its cursor is good', async () => {
  const { subscription_id: before } = await staying.subscribe(FORGOTTEN);
  for (const seq of [1, 2, 3]) await tell(FORGOTTEN, seq);
  await until(() => staying.seqs(before).length === 3, 'the events before');
  // The writer forgets that channel now.
  const live = await staying.subscribe(NEW);
  for (const seq of [4, 5]) await tell(NEW, seq);
  await until(() => staying.seqs(live.subscription_id).length === 2, 'the first events');
  const [first] = staying.ofType('event').filter(({ channel }) => channel === NEW);
  const later = await openClient(world.address, world.token());
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

it('who has a number from before a channel was forgotten is told where the numbers go on, and nobody else', async () => {
  const newer = await openClient(world.address, world.token());
  const last = staying.ofType('event').findLast(({ channel }) => channel === FORGOTTEN)!;
  await tell(FORGOTTEN, 6);
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
  await tell(FORGOTTEN, 7);
  await until(() => newer.seqs(subscription_id).length === 1, 'the next event');
  expect(newer.ofType('gap')).toHaveLength(1);
  expect(newer.seqs(since.subscription_id)).toEqual([6, 7]);
  newer.socket.terminate();
});
