/** A node that can no longer read events must not keep its clients. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RoleContext } from '#infra/runtime/context';
import { channelTopics } from '#schemas/topics/channels';
import { statusTopics } from '#schemas/topics/normalised';
import { openClient, refusal } from './testing/client.fixture.ts';
import { type GatewayHarness, openGateway } from './testing/gateway.fixture.ts';

const CHANNEL = 'svc:stream:event:evt_one';

let gateway: GatewayHarness;
beforeEach(async () => {
  gateway = await openGateway();
});
afterEach(() => gateway.close());

/** Makes records of one topic fail to decode for this reason. */
function breakDecoding({ codec }: RoleContext, topicName: string, reason: Error): void {
  const decode = codec.decode.bind(codec);
  codec.decode = (topic, bytes) => {
    if (topic.name === topicName) throw reason;
    return decode(topic, bytes);
  };
}

describe('a fault of the fan-out', () => {
  it('closes the sockets with 1012, refuses new ones, and fails the health of the process', async () => {
    const client = await openClient(gateway.url, gateway.token());
    await client.subscribe(CHANNEL);
    breakDecoding(gateway.context, channelTopics.events.name, new Error('a fault of the program'));
    await gateway.publish(CHANNEL, 1);
    expect(await client.closed).toEqual({ code: 1012, reason: 'restart' });
    const { status } = await refusal(gateway.url, { authorization: `Bearer ${gateway.token()}` });
    expect(status).toBe(503);
    const { status: health, parts } = gateway.context.health.report();
    expect([health, parts['stream-gateway']]).toEqual(['degraded', 'the fan-out failed and stopped; see the log']);
  });
});

describe('a fault of the view of the markets', () => {
  it('closes the sockets with 1012 as well', async () => {
    const client = await openClient(gateway.url, gateway.token());
    await client.subscribe(CHANNEL);
    gateway.context.codec.hasSchema = () => false;
    gateway.context.codec.fetchSchema = () => Promise.reject(new Error('a fault of the program'));
    await gateway.append(statusTopics.venue_a, 'BTC', {
      provider: 'venue_a',
      instrument: 'BTC',
      marketId: null,
      feed: 'feed',
      state: 'live',
      receivedAt: 1,
      since: 1,
    });
    expect(await client.closed).toEqual({ code: 1012, reason: 'restart' });
    expect(gateway.context.health.report().status).toBe('degraded');
    await expect(gateway.stop()).rejects.toThrow('a fault of the program');
  });
});
