/** A node that cannot read events any more must not keep its clients. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RoleContext } from '#infra/context';
import { channelTopics } from '#schemas/topics/channels';
import { statusTopics } from '#schemas/topics/normalised';
import { openClient, refusal } from './testing/client.fixture.ts';
import { type GatewayWorld, openGateway } from './testing/gateway.fixture.ts';

const CHANNEL = 'svc:stream:event:evt_one';

let world: GatewayWorld;
beforeEach(async () => {
  world = await openGateway();
});
afterEach(() => world.close());

/** From now on records of one topic cannot be decoded, for this reason. */
function breakDecoding({ codec }: RoleContext, topicName: string, reason: Error): void {
  const decode = codec.decode.bind(codec);
  codec.decode = (topic, bytes) => {
    if (topic.name === topicName) throw reason;
    return decode(topic, bytes);
  };
}

describe('a fault of the fan-out', () => {
  it('closes the sockets with 1012, refuses new ones, and ends the health of the process', async () => {
    const client = await openClient(world.address, world.token());
    await client.subscribe(CHANNEL);
    breakDecoding(world.context, channelTopics.events.name, new Error('a fault of the program'));
    await world.publish(CHANNEL, 1);
    expect(await client.closed).toEqual({ code: 1012, reason: 'restart' });
    const { status } = await refusal(world.address, { authorization: `Bearer ${world.token()}` });
    expect(status).toBe(503);
    const { status: health, parts } = world.context.health.report();
    expect([health, parts['stream-gateway']]).toEqual(['degraded', 'the fan-out stopped by a fault; see the log']);
  });
});

describe('a fault of the view of the markets', () => {
  it('closes the sockets with 1012 as well', async () => {
    const client = await openClient(world.address, world.token());
    await client.subscribe(CHANNEL);
    world.context.codec.knows = () => false;
    world.context.codec.learn = () => Promise.reject(new Error('a fault of the program'));
    await world.append(statusTopics.venue_a, 'BTC', {
      provider: 'venue_a',
      instrument: 'BTC',
      marketId: null,
      feed: 'feed',
      state: 'live',
      receivedAt: 1,
      since: 1,
    });
    expect(await client.closed).toEqual({ code: 1012, reason: 'restart' });
    expect(world.context.health.report().status).toBe('degraded');
    await expect(world.stop()).rejects.toThrow('a fault of the program');
  });
});
