/** `ws.message` (the contract, REST and Organizations): event frames count, and past the quota they are dropped. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openUsageHost } from '#infra/quota/usage-host';
import { openClient, until } from './testing/client.fixture.ts';
import { type GatewayWorld, openGateway } from './testing/gateway.fixture.ts';

const CHANNEL = 'svc:stream:event:evt_quota';
const LIMIT = 12;

let world: GatewayWorld;
beforeAll(async () => {
  const quotas = { enterprise: { 'ws.message': { minute: null, day: LIMIT } } };
  world = await openGateway({ PARALLAX_QUOTAS: JSON.stringify(quotas) });
});
afterAll(() => world.close());

it('is one for all sockets of an organization; others get theirs; what was sent is its usage', async () => {
  const usage = await openUsageHost(world.context);
  const clients = [
    await openClient(world.address, world.token()),
    await openClient(world.address, world.token()),
    await openClient(world.address, world.token({ orgId: 'org_other' })),
  ];
  try {
    for (const client of clients) await client.subscribe(CHANNEL);
    await world.publish(CHANNEL, 10);
    const [one, two, other] = clients as [(typeof clients)[0], (typeof clients)[0], (typeof clients)[0]];
    await until(() => other.ofType('event').length === 10, 'the other organization');
    await until(() => [...one.ofType('error'), ...two.ofType('error')].length > 0, 'an error');
    expect(one.ofType('event').length + two.ofType('event').length).toBe(LIMIT);
    for (const client of [one, two]) {
      const errors = client.ofType('error');
      expect(errors).toEqual(client.ofType('event').length < 10 ? [{ type: 'error', error: 'quota_exceeded' }] : []);
    }
    expect(other.ofType('error')).toEqual([]);
    const today = Date.now() - (Date.now() % 86_400_000);
    const used = () => usage.counts.windows('org_1', 'ws.message', { minute: null, day: 100 }, Date.now())[0]!;
    await until(() => used().remaining === 100 - LIMIT, 'the usage');
    expect(used().endsAt).toBe(today + 86_400_000);
  } finally {
    for (const { socket } of clients) socket.terminate();
    await usage.close();
  }
});
