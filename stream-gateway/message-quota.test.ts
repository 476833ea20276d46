/** `ws.message` (the contract, REST and Organizations): event frames count, and beyond the quota they are dropped. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openUsageReplica } from '#infra/quota/usage-replica';
import { openClient, until } from './testing/client.fixture.ts';
import { type GatewayHarness, openGateway } from './testing/gateway.fixture.ts';

const CHANNEL = 'svc:stream:event:evt_quota';
const LIMIT = 12;

let gateway: GatewayHarness;
beforeAll(async () => {
  const quotas = { enterprise: { 'ws.message': { minute: null, day: LIMIT } } };
  gateway = await openGateway({ PARALLAX_QUOTAS: JSON.stringify(quotas) });
});
afterAll(() => gateway.close());

it('the quota is shared by all sockets of an organization, does not affect others, and sent frames are its usage', async () => {
  const usage = await openUsageReplica(gateway.context);
  const clients = [
    await openClient(gateway.url, gateway.token()),
    await openClient(gateway.url, gateway.token()),
    await openClient(gateway.url, gateway.token({ orgId: 'org_other' })),
  ];
  try {
    for (const client of clients) await client.subscribe(CHANNEL);
    await gateway.publish(CHANNEL, 10);
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
