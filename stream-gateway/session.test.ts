import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '#infra/control/authenticator';
import { openControlReplica } from '#infra/control/control-replica';
import { seedAdminKey } from '#infra/control/seed';
import { csrfOf, digestOf, mintCookie } from '#infra/control/session-cookie';
import { createHealth } from '#infra/telemetry/health';
import { createMetrics } from '#infra/telemetry/metrics';
import { start } from './start.ts';
import { type Client, openClient, refusal } from './testing/client.fixture.ts';
import type { TestSession } from './testing/gateway.fixture.ts';
import { clients, freshChannel, gateway } from './testing/gateway-of-file.fixture.ts';

const SESSION_ENDED = { code: 4001, reason: 'session ended' };

async function connectedBy(
  { cookie, csrf }: Pick<TestSession, 'cookie' | 'csrf'>,
  headers: Record<string, string> = {},
  url = gateway.url,
): Promise<Client> {
  const client = await openClient(url, null, { protocol: `csrf.${csrf}`, headers: { cookie, ...headers } });
  clients.push(client);
  return client;
}

async function refusalOf(headers: Record<string, string>) {
  const { status, body } = await refusal(gateway.url, headers);
  return [status, body.error.code];
}

describe('a portal session over WebSocket', () => {
  it('is accepted with its CSRF value as the subprotocol, which the server selects', async () => {
    const session = gateway.session();
    const client = await connectedBy(session);
    expect(client.socket.protocol).toBe(`csrf.${session.csrf}`);
    expect((await client.subscribe(freshChannel())).type).toBe('subscribed');
  });

  it('is refused with 401 without the subprotocol, and with a wrong value', async () => {
    const { cookie } = gateway.session();
    const other = gateway.session();
    expect(await refusalOf({ cookie })).toEqual([401, 'unauthenticated']);
    for (const protocol of ['csrf.', `csrf.${other.csrf}`, other.csrf, `csrf.${other.csrf}x`, 'csrf.nonsense'])
      expect(await refusalOf({ cookie, 'sec-websocket-protocol': protocol }), protocol).toEqual([
        401,
        'unauthenticated',
      ]);
  });

  it('is refused with 401 for an unknown cookie and for an expired session', async () => {
    const value = mintCookie();
    const unknown = { cookie: `plx_session=${value}`, 'sec-websocket-protocol': `csrf.${csrfOf(value)}` };
    expect(await refusalOf(unknown)).toEqual([401, 'unauthenticated']);
    const { cookie, csrf } = gateway.session({ expiresAt: Date.now() - 1 });
    expect(await refusalOf({ cookie, 'sec-websocket-protocol': `csrf.${csrf}` })).toEqual([401, 'unauthenticated']);
  });

  it('is refused with 401 from a page of another host, and accepted from one of its host on any port', async () => {
    const session = gateway.session();
    const request = { cookie: session.cookie, 'sec-websocket-protocol': `csrf.${session.csrf}` };
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'file://'])
      expect(await refusalOf({ ...request, origin }), origin).toEqual([401, 'unauthenticated']);
    const { host } = new URL(gateway.url);
    for (const origin of [`http://${host}`, 'http://127.0.0.1:8080', 'https://127.0.0.1'])
      await connectedBy(session, { origin });
  });

  it('has the scopes and the organization of its key', async () => {
    const reader = await connectedBy(gateway.session({ scopes: ['read'] }));
    expect((await reader.subscribe(freshChannel())).error).toBe('forbidden_scope');
    const client = await connectedBy(gateway.session({ orgId: 'org_session' }));
    expect((await client.subscribe('svc:stream:user-trade:org_session')).type).toBe('subscribed');
    expect((await client.subscribe('svc:stream:user-trade:org_1')).error).toBe('forbidden_scope');
  });

  it('does not count when the request has a token too', async () => {
    const { cookie, csrf } = gateway.session();
    const headers = { cookie, authorization: `Bearer ${gateway.token()}` };
    const client = await openClient(gateway.url, null, { headers });
    clients.push(client);
    expect((await client.subscribe(freshChannel())).type).toBe('subscribed');
    const wrong = { cookie, 'sec-websocket-protocol': `csrf.${csrf}`, authorization: 'Bearer nonsense' };
    expect(await refusalOf(wrong)).toEqual([401, 'unauthenticated']);
  });

  it('closes its sockets with 4001 when it is signed out, and no others', async () => {
    const [ending, staying] = [gateway.session(), gateway.session()];
    const [first, second, other] = [await connectedBy(ending), await connectedBy(ending), await connectedBy(staying)];
    ending.end();
    expect(await first.closed).toEqual(SESSION_ENDED);
    expect(await second.closed).toEqual(SESSION_ENDED);
    expect((await other.request({ type: 'ping' }, 'pong')).type).toBe('pong');
  });

  it('closes its sockets with 4001 when it expires', async () => {
    const client = await connectedBy(gateway.session({ expiresAt: Date.now() + 3_000 }));
    expect(await client.closed).toEqual(SESSION_ENDED);
  });

  it('is never logged', async () => {
    const { cookie, csrf } = gateway.session();
    await connectedBy({ cookie, csrf });
    await refusalOf({ cookie });
    await sleep(0);
    const logged = gateway.logged.join('');
    for (const secret of [cookie.slice('plx_session='.length), csrf, digestOf(cookie.slice('plx_session='.length))])
      expect(logged).not.toContain(secret);
  });
});

describe('a portal session on two nodes', () => {
  it('closes its sockets on both when it is signed out or its key is revoked', async () => {
    const { context } = gateway;
    const replica = await openControlReplica(context);
    // Another node: it uses the same log through another object, and so has a replica of its own.
    const log = Object.create(context.log) as typeof context.log;
    const node = await start({ ...context, log, metrics: createMetrics(), health: createHealth() });
    try {
      const authenticator = createAuthenticator(replica);
      const { logger } = context;
      const seed = { replica, authenticator, logger, adminToken: null, plan: 'enterprise' } as const;
      await seedAdminKey(seed);
      const [admin] = [...replica.state.keys.values()].filter(({ userId }) => userId === 'admin');
      const actor = { orgId: admin!.orgId, keyId: admin!.id, userId: 'admin', sandbox: false };
      const created = { keyId: crypto.randomUUID(), name: 'k', userId: 'u', scopes: ['read', 'stream'] };
      const { secret } = admin!;
      expect(await replica.submit('key.create', { actor, ...created, sandbox: false, secret })).toMatchObject({
        ok: true,
      });
      const open = async (keyId: string) => {
        const value = mintCookie();
        const digest = digestOf(value);
        const opened = await replica.submit('session.open', { actor: { ...actor, keyId }, digest });
        expect(opened.ok).toBe(true);
        const session = { cookie: `plx_session=${value}`, csrf: csrfOf(value) };
        return { digest, sockets: [await connectedBy(session), await connectedBy(session, {}, node.url)] };
      };
      const [signedOut, revoked] = [await open(admin!.id), await open(created.keyId)];
      await replica.submit('session.close', { actor, digest: signedOut.digest });
      for (const { closed } of signedOut.sockets) expect(await closed).toEqual(SESSION_ENDED);
      for (const socket of revoked.sockets) expect((await socket.request({ type: 'ping' }, 'pong')).type).toBe('pong');
      await replica.submit('key.revoke', { actor, keyId: created.keyId });
      for (const { closed } of revoked.sockets) expect((await closed).code).toBe(4001);
    } finally {
      await node.close();
      await replica.close();
    }
  });
});
