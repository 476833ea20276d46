import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatToken, mintToken } from '#infra/control/token';
import { SCOPES } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { errorEnvelopeSchema } from '#schemas/http/error-envelope';
import { ROUTES } from './routes/index.ts';
import { missingScopeCode, type Route } from './routes/route.ts';
import { heldHandler, openApp, openThing, openThings } from './testing/open-app.fixture.ts';
import { createTestApp, type TestApp } from './testing/test-app.fixture.ts';

/** The path of a route with placeholders for its parameters. */
const pathOf = ({ path }: Route) => path.replaceAll(/:\w+/g, 'x');
const guarded = ROUTES.filter((route) => route.scope !== null);

describe('every guarded route', () => {
  // Shared by all routes, since building the application is slow.
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.app.close());

  describe.each(guarded.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_name, route) => {
    const send = (authorization?: string) =>
      app.request(route.method, pathOf(route), authorization === undefined ? {} : { authorization });

    it('answers 401 to a request without a valid token', async () => {
      const good = await app.uncachedToken(SCOPES);
      const tokens = [
        undefined,
        '',
        'Bearer',
        'Basic dXNlcjpwYXNz',
        'Bearer plx_live_nonsense',
        `Bearer ${formatToken(mintToken())}`,
        `Bearer ${good.slice(0, -43)}${'A'.repeat(43)}`,
        `Bearer ${good.replace('plx_live_', 'plx_test_')}`,
      ];
      for (const token of tokens) {
        const response = await send(token);
        expect(response.status, token).toBe(401);
        expect(response.headers['www-authenticate']).toBe('Bearer');
        expect(errorEnvelopeSchema.parse(response.json()).error.code).toBe('unauthenticated');
      }
    });

    if (route.scope !== 'any')
      it('answers 403 with the code of its family to a key without its scope', async () => {
        const token = app.cachedToken(SCOPES.filter((scope) => scope !== route.scope));
        const response = await send(`Bearer ${token}`);
        expect(response.status).toBe(403);
        const { error } = errorEnvelopeSchema.parse(response.json());
        const isInsufficient =
          /^\/v1\/(?:markets|portfolio|positions|accounts\/batch|me\/stats|me\/platform-volume)\b/.test(route.path);
        expect(error.code).toBe(isInsufficient ? 'insufficient_scope' : 'forbidden_scope');
        expect(error.message).toContain(route.scope);
      });

    it('accepts a key that has only its scope', async () => {
      const scope = route.scope === 'any' ? 'trade' : route.scope!;
      const response = await send(`Bearer ${app.cachedToken([scope])}`);
      expect([401, 403]).not.toContain(response.status);
    });

    it('answers 503 while the views are still reading what the log held at the start', async () => {
      app.setReady(false);
      const response = await send(`Bearer ${app.cachedToken(SCOPES)}`).finally(() => app.setReady(true));
      expect(response.status).toBe(503);
      expect(response.headers['retry-after']).toBe('1');
      expect(errorEnvelopeSchema.parse(response.json()).error.code).toBe('internal_error');
    });

    it('answers other methods with 405 and the allowed methods', async () => {
      const declared = ROUTES.filter(({ path }) => path === route.path).flatMap(({ method }) =>
        method === 'GET' ? ['GET', 'HEAD'] : [method],
      );
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'REPORT']) {
        if (declared.includes(method)) continue;
        const response = await app.request(method, pathOf(route));
        expect(response.status, method).toBe(405);
        expect(response.headers.allow).toBe(declared.join(', '));
        expect(errorEnvelopeSchema.parse(response.json()).error.code).toBe('method_not_allowed');
      }
    });
  });
});

describe('keys', () => {
  it('are accepted with the Bearer scheme in any case', async () => {
    const app = await openThing();
    const token = await app.uncachedToken(['read']);
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await app.request('GET', '/v1/thing', { authorization: `${scheme} ${token}` })).status).toBe(200);
  });

  it('are checked again when the token of a connection changes, and after their revocation', async () => {
    const { app, uncachedToken, control } = await openThing();
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    app.server.on('connection', (socket) => sockets.add(socket));
    const send = (token: string) =>
      new Promise<number>((resolve, reject) => {
        get(`${address}/v1/thing`, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode!));
        }).on('error', reject);
      });
    const [reader, streamer] = [await uncachedToken(['read']), await uncachedToken(['stream'])];
    const wrong = `${reader.slice(0, -1)}${reader.endsWith('A') ? 'B' : 'A'}`;
    const statuses: number[] = [];
    for (const token of [reader, reader, reader, wrong, reader, streamer, streamer, reader])
      statuses.push(await send(token));
    expect(statuses).toEqual([200, 200, 200, 401, 200, 403, 403, 200]);
    control.keys.clear();
    expect(await send(reader)).toBe(401);
    expect(sockets.size).toBe(1);
    agent.destroy();
  });

  it('are refused as soon as they are revoked', async () => {
    const app = await openThing();
    const authorization = `Bearer ${await app.uncachedToken(['read'])}`;
    expect((await app.request('GET', '/v1/thing', { authorization })).status).toBe(200);
    app.control.keys.clear();
    expect((await app.request('GET', '/v1/thing', { authorization })).status).toBe(401);
  });

  it('without the scope get insufficient_scope on portfolio, stats, markets and positions routes only', () => {
    const insufficient = [
      '/v1/portfolio',
      '/v1/portfolio/nav',
      '/v1/positions',
      '/v1/accounts/batch',
      '/v1/markets/venue_a/leaderboard',
      '/v1/me/stats',
      '/v1/me/platform-volume',
    ];
    const forbidden = ['/v1/events', '/keys', '/v1/me/wallets', '/v1/portfolios', '/v1/me/pnl'];
    for (const path of insufficient) expect(missingScopeCode({ path: path as '/' }), path).toBe('insufficient_scope');
    for (const path of forbidden) expect(missingScopeCode({ path: path as '/' }), path).toBe('forbidden_scope');
  });
});

describe('shutdown', () => {
  it('waits for running requests and accepts no new connections', async () => {
    const { handle, releases } = heldHandler();
    const { app, uncachedToken } = await openThing({ handle });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const headers = { authorization: `Bearer ${await uncachedToken(['read'])}` };
    const requests = fetch(`${address}/v1/thing`, { headers });
    while (releases.length === 0) await sleep(1);
    const closed = app.close();
    const refused = () =>
      fetch(`${address}/providers`)
        .then(() => false)
        .catch(() => true);
    const deadline = Date.now() + 5_000;
    while (!(await refused()) && Date.now() < deadline) await sleep(5);
    releases[0]!({ ok: true });
    const response = await requests;
    expect(await response.json()).toEqual({ ok: true });
    expect(response.headers.get('connection')).toBe('close');
    await closed;
    expect(await refused()).toBe(true);
  });
});

describe('unknown routes', () => {
  it.each([
    ['{', 'application/json'],
    ['a=b', 'application/x-www-form-urlencoded'],
    [`"${'x'.repeat(1024 * 1024)}"`, 'application/json'],
  ])('are answered 404, whatever the body is: %.10s', async (payload, type) => {
    const app = await openApp();
    const response = await app.request('POST', '/v1/nothing', { 'content-type': type }, payload);
    expect(response.status).toBe(404);
    expect(errorEnvelopeSchema.parse(response.json()).error).toMatchObject({
      code: 'not_found',
      message: 'no route POST /v1/nothing',
    });
  });

  it('are answered 404 for any method', async () => {
    const app = await openApp();
    for (const method of ['GET', 'POST', 'TRACE', 'PROPFIND'])
      expect((await app.request(method, '/v1/nothing')).status, method).toBe(404);
  });
});

describe('other origins', () => {
  const origin = 'https://app.example';
  it('are not allowed by default', async () => {
    const response = await (await openApp()).request('GET', '/providers', { origin });
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('are allowed if the setting lists them, for errors too', async () => {
    const app = await openApp({ app: { corsOrigins: `${origin},https://other.example` } });
    for (const url of ['/providers', '/v1/events', '/nothing']) {
      const response = await app.request('GET', url, { origin });
      expect(response.headers['access-control-allow-origin'], url).toBe(origin);
      expect(response.headers['access-control-expose-headers']).toContain('x-request-id');
      expect(response.headers.vary).toContain('Origin');
    }
    const foreign = await app.request('GET', '/providers', { origin: 'https://evil.example' });
    expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('get a response to their preflight requests', async () => {
    const app = await openApp({ app: { corsOrigins: '*' } });
    const response = await app.request('OPTIONS', '/v1/events', {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    });
    expect(response.status).toBe(204);
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.headers['access-control-allow-headers']).toBe('authorization');
  });
});

describe('/health', () => {
  it('answers 503 until every part is ready, and reports the state of each part', async () => {
    const { health, request } = await openApp();
    health.expect('ingest');
    health.setExtra('playback', 'running');
    const before = await request('GET', '/health');
    expect(before.status).toBe(503);
    expect(before.json()).toMatchObject({ status: 'starting', parts: { ingest: 'starting' }, playback: 'running' });
    health.ready('ingest');
    const after = await request('GET', '/health');
    expect(after.status).toBe(200);
    expect(after.json()).toMatchObject({ status: 'ok', service: 'parallax', parts: { ingest: 'ready' } });
    const { version, uptimeSeconds, timestamp } = after.json() as Record<string, string>;
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(uptimeSeconds).toBeGreaterThanOrEqual(0);
    expect(new Date(timestamp!).toISOString()).toBe(timestamp);
    health.degraded('log', 'no room on the disk');
    const full = await request('GET', '/health');
    expect(full.status).toBe(503);
    expect(full.json()).toMatchObject({ status: 'degraded', parts: { log: 'no room on the disk' } });
  });

  it('is answered while the service starts', async () => {
    const app = await openApp();
    app.setReady(false);
    expect((await app.request('GET', '/health')).status).toBe(200);
    expect((await app.request('GET', '/providers')).status).toBe(200);
  });

  it('answers HEAD without a body', async () => {
    const response = await (await openApp()).request('HEAD', '/health');
    expect(response.status).toBe(200);
    expect(response.body).toBe('');
  });
});

describe('/metrics', () => {
  it('counts responses by declared path and status, without a token', async () => {
    const app = await openApp();
    await app.get('/v1/events/evt_a/spread');
    await app.get('/v1/events/evt_b/spread');
    await app.get('/nowhere/1');
    const response = await app.request('GET', '/metrics');
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toContain('text/plain');
    const count = (route: string, status: number) =>
      `parallax_http_request_seconds_count{route="${route}",status="${status}"}`;
    expect(response.body).toContain(`${count('/v1/events/:universalId/spread', 404)} 2`);
    expect(response.body).toContain(`${count('unknown', 404)} 1`);
    expect(response.body).not.toContain('evt_a');
  });

  it('measures the duration of computed, cached, refused and failed responses', async () => {
    const app = await openThings([
      { path: '/v1/slow', cacheTtlMs: 5_000, handle: () => sleep(40).then(() => ({ ok: true })) },
      {
        path: '/v1/failing',
        handle: async () => {
          await sleep(40);
          throw new ApiError('not_found', 'no such thing');
        },
      },
    ]);
    const seconds = async (route: string, status: number) => {
      const { body } = await app.request('GET', '/metrics');
      const line = `parallax_http_request_seconds_sum{route="${route}",status="${status}"} `;
      const found = body.split('\n').find((text) => text.startsWith(line));
      return found === undefined ? null : Number(found.slice(line.length));
    };
    await app.get('/v1/slow');
    const computed = (await seconds('/v1/slow', 200))!;
    // A timer may fire up to a millisecond early.
    expect(computed).toBeGreaterThan(0.038);
    expect(computed).toBeLessThan(5);
    await app.get('/v1/slow');
    const both = (await seconds('/v1/slow', 200))!;
    expect(both).toBeGreaterThan(computed);
    expect(both - computed).toBeLessThan(0.038);
    await app.get('/v1/failing');
    expect(await seconds('/v1/failing', 404)).toBeGreaterThan(0.038);
    await app.request('GET', '/v1/slow');
    await app.request('POST', '/v1/slow');
    await app.request('GET', '/nowhere');
    await app.request('GET', '/%zz');
    expect(await seconds('/v1/slow', 401)).toBeGreaterThan(0);
    expect(await seconds('/v1/slow', 405)).toBeGreaterThan(0);
    expect(await seconds('unknown', 404)).toBeGreaterThan(0);
    expect(await seconds('unknown', 400)).toBeGreaterThan(0);
    expect(await seconds('/metrics', 200)).toBeGreaterThan(0);
  });

  it('allows only GET and HEAD', async () => {
    expect((await (await openApp()).request('POST', '/metrics')).status).toBe(405);
  });
});
