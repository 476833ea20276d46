/** `user-trade:<orgId>`: an organization receives only its own fills, as long as its keys are valid. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthenticator } from '#infra/control/authenticator';
import { type ControlReplica, openControlReplica } from '#infra/control/control-replica';
import { formatToken, mintToken } from '#infra/control/token';
import { type Client, openClient, until } from './testing/client.fixture.ts';
import { type GatewayHarness, openGateway } from './testing/gateway.fixture.ts';

/** Never compared: tokens of tests are marked as verified instead, since hashing is slow by design. */
const NO_HASH = { algorithm: 'scrypt', N: 2, r: 1, p: 1, salt: '', hash: '' } as const;
const OPERATOR = { orgId: 'org_first', keyId: 'first', userId: 'admin', sandbox: false };
const channelOf = (orgId: string) => `svc:stream:user-trade:${orgId}`;

let gateway: GatewayHarness;
let control: ControlReplica;
const clients: Client[] = [];
beforeAll(async () => {
  gateway = await openGateway();
  control = await openControlReplica(gateway.context);
  const organization = { id: 'org_first', name: 'First', plan: 'pro' };
  await control.submit('key.seed', { keyId: 'first', secret: NO_HASH, organization, minted: true });
});
afterAll(async () => {
  for (const { socket } of clients) socket.terminate();
  await control.close();
  await gateway.close();
});

/** Creates an organization and connects with its admin key. */
async function connected(orgId: string): Promise<Client> {
  const token = mintToken();
  const adminKey = { id: token.keyId, secret: NO_HASH };
  const body = { actor: OPERATOR, organizationId: orgId, name: orgId, plan: 'pro', adminKey };
  expect(await control.submit('organization.create', body)).toMatchObject({ ok: true });
  createAuthenticator(control).remember(token);
  const client = await openClient(gateway.url, formatToken(token));
  clients.push(client);
  return client;
}

describe('user-trade', () => {
  it('sends an organization its own fills, live and from history', async () => {
    const [one, other] = [await connected('org_one'), await connected('org_other')];
    const live = await one.subscribe(channelOf('org_one'));
    await other.subscribe(channelOf('org_other'));
    await gateway.publish(channelOf('org_one'), 3, '{"id":"venue_b:0xt:1"}');
    await until(() => one.seqs(live.subscription_id).length === 3, 'three fills');
    expect(one.ofType('event')[0]).toMatchObject({ channel: channelOf('org_one'), seq: 1 });
    const before = await one.subscribe(channelOf('org_one'), 'earliest');
    const after = await one.subscribe(channelOf('org_one'), one.ofType('event')[1]!.cursor as string);
    await gateway.publish(channelOf('org_one'), 1);
    await until(
      () => one.seqs(before.subscription_id).length === 4 && one.seqs(after.subscription_id).length === 2,
      'all',
    );
    expect(one.seqs(before.subscription_id)).toEqual([1, 2, 3, 4]);
    expect(one.seqs(after.subscription_id)).toEqual([3, 4]);
    expect(other.ofType('event')).toEqual([]);
  });

  it('is forbidden for any other organization, in any spelling, and leaves no subscription behind', async () => {
    const client = await connected('org_spelling');
    await connected('org_target');
    const others = ['org_target', 'org_nobody', 'ORG_SPELLING', 'org_spelling:x', 'org_spelling,org_target', '*'];
    for (const orgId of others)
      for (const since of [undefined, 'earliest'])
        expect(await client.subscribe(channelOf(orgId), since)).toEqual({
          type: 'error',
          error: 'forbidden_scope',
          channel: channelOf(orgId),
        });
    await gateway.publish(channelOf('org_target'), 1);
    const own = await client.subscribe(channelOf('org_spelling'));
    await gateway.publish(channelOf('org_spelling'), 1);
    await until(() => client.seqs(own.subscription_id).length === 1, 'the own fill');
    expect(client.ofType('event').map(({ channel }) => channel)).toEqual([channelOf('org_spelling')]);
  });

  it('sends a gap without a REST path at a rebuild', async () => {
    const client = await connected('org_rebuilt');
    const { subscription_id } = await client.subscribe(channelOf('org_rebuilt'));
    await gateway.publish(channelOf('org_rebuilt'), 2);
    await until(() => client.seqs(subscription_id).length === 2, 'two fills');
    await gateway.rebuild();
    await gateway.publish(channelOf('org_rebuilt'), 1);
    await until(() => client.seqs(subscription_id).length === 3, 'the fill after the rebuild');
    expect(client.seqs(subscription_id)).toEqual([1, 2, 1]);
    expect(client.ofType('gap')).toMatchObject([{ subscription_id, refill: null }]);
  });

  it.each([
    ['suspended', 'organization.change', { suspended: true }],
    ['deleted', 'organization.delete', {}],
  ])('is closed with 4001 when the organization is %s; others stay open', async (what, type, body) => {
    const orgId = `org_${what}`;
    const [client, other] = [await connected(orgId), await connected(`org_beside_${what}`)];
    await client.subscribe(channelOf(orgId));
    const startedAt = Date.now();
    expect(await control.submit(type, { actor: OPERATOR, organizationId: orgId, ...body })).toMatchObject({ ok: true });
    expect(await client.closed).toEqual({ code: 4001, reason: 'token revoked' });
    expect(Date.now() - startedAt).toBeLessThan(1_000);
    expect((await other.request({ type: 'ping' }, 'pong')).type).toBe('pong');
  });
});
