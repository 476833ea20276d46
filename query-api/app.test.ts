import { Agent, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatToken, mintToken } from '#infra/control/token';
import { SCOPES } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { errorEnvelopeSchema } from '#schemas/http/error-envelope';
import { ROUTES } from './routes/index.ts';
import { defineCallerRoute, defineRoute, missingScopeCode, type Route, type RouteDeclaration } from './routes/route.ts';
import { createTestApp, type TestApp, type TestAppOptions } from './testing/test-app.fixture.ts';

const opened: TestApp[] = [];
async function open(options?: TestAppOptions): Promise<TestApp> {
  const test = await createTestApp(options);
  opened.push(test);
  return test;
}
afterEach(async () => {
  for (const { app } of opened.splice(0)) await app.close();
});

/** A route for tests of what all routes have in common. */
function aRoute(fields: Partial<RouteDeclaration<object, { n?: string | undefined }, unknown>>): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/thing',
    scope: 'read',
    sku: null,
    cacheTtlMs: 0,
    summary: 'A thing.',
    params: z.object({}),
    query: z.object({ n: z.string().optional() }),
    response: z.unknown(),
    handle: () => ({ ok: true }),
    ...fields,
  });
}
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
        expect(error.code).toBe(route.path.startsWith('/v1/markets/') ? 'insufficient_scope' : 'forbidden_scope');
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
    const app = await open({ routes: [aRoute({})] });
    const token = await app.uncachedToken(['read']);
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await app.request('GET', '/v1/thing', { authorization: `${scheme} ${token}` })).status).toBe(200);
  });

  it('are checked again when the token of a connection changes, and after their revocation', async () => {
    const { app, uncachedToken, control } = await open({ routes: [aRoute({})] });
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
    const app = await open({ routes: [aRoute({})] });
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

describe('request ids', () => {
  const send = async (headers: Record<string, string>) => {
    const { headers: got } = await (await open()).request('GET', '/providers', headers);
    return got['x-request-id'];
  };
  it('are echoed up to 128 characters and otherwise generated', async () => {
    expect(await send({ 'x-request-id': 'a' })).toBe('a');
    expect(await send({ 'x-request-id': 'b'.repeat(128) })).toBe('b'.repeat(128));
    expect(await send({ 'x-request-id': 'c'.repeat(129) })).toMatch(/^[0-9a-f-]{36}$/);
    expect(await send({ 'x-request-id': '' })).toMatch(/^[0-9a-f-]{36}$/);
    expect(await send({})).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('are echoed only if they are printable ASCII, since others would be garbled in the body', async () => {
    expect(await send({ 'x-request-id': 'a b~{"c"}' })).toBe('a b~{"c"}');
    // The UTF-8 bytes of an é, as Node reads them.
    expect(await send({ 'x-request-id': Buffer.from('é').toString('latin1') })).toMatch(/^[0-9a-f-]{36}$/);
    expect(await send({ 'x-request-id': 'a\u0080' })).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('are the same in the error body and in the header', async () => {
    const app = await open();
    const response = await app.request('GET', '/v1/nothing', { 'x-request-id': 'mine' });
    expect(response.headers['x-request-id']).toBe('mine');
    expect(response.json()).toEqual({
      error: { code: 'not_found', message: 'no route GET /v1/nothing', requestId: 'mine' },
    });
  });
});

describe('errors', () => {
  it('of the service are sent without their cause and logged with it', async () => {
    const route = aRoute({
      handle: () => {
        throw new Error('the secret reason');
      },
    });
    const app = await open({ routes: [route] });
    const response = await app.get('/v1/thing', { 'x-request-id': 'find-me' });
    expect(response.status).toBe(500);
    expect(response.json()).toMatchObject({ error: { code: 'internal_error', requestId: 'find-me' } });
    expect(response.body).not.toContain('secret reason');
    expect(app.logLines.join()).toContain('the secret reason');
    expect(app.logLines.join()).toContain('find-me');
  });

  it('of a venue contain its response', async () => {
    const route = aRoute({
      handle: async () => {
        throw new ApiError('upstream_unavailable', 'venue_a is down', {
          upstream: { provider: 'venue_a', status: 503, body: { reason: 'down' } },
        });
      },
    });
    const app = await open({ routes: [route] });
    expect((await app.get('/v1/thing')).json()).toMatchObject({
      error: {
        code: 'upstream_unavailable',
        provider: 'venue_a',
        upstream: { status: 503, body: { reason: 'down' } },
      },
    });
  });

  it('name every invalid field of a request', async () => {
    const query = z.object({ n: z.string().max(2).optional(), m: z.enum(['a']) });
    const route = aRoute({ query: query as unknown as Route['query'] as never });
    const app = await open({ routes: [route] });
    const response = await app.get('/v1/thing?n=abc&m=b');
    expect(response.status).toBe(400);
    const { error } = errorEnvelopeSchema.parse(response.json());
    expect(error.code).toBe('validation_failed');
    expect(error.message).toMatch(/n: .*m: /);
    const twice = await app.get('/v1/thing?n=a&n=b&m=a');
    expect(twice.status).toBe(400);
    expect(errorEnvelopeSchema.parse(twice.json()).error.message).toBe('n: must be given once');
  });

  it('are 503 for a handler that takes too long', async () => {
    let release: (value: unknown) => void = () => {};
    const handle = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const route = aRoute({ handle });
    const app = await open({ routes: [route], app: { responseTimeoutMs: 20 } });
    const response = await app.get('/v1/thing');
    release({});
    expect(response.status).toBe(503);
    expect(response.headers['retry-after']).toBe('1');
    expect(response.json()).toMatchObject({ error: { code: 'internal_error' } });
  });

  it('are bad_request for a malformed URL, and the not-found code of the route for an overlong name', async () => {
    const app = await open();
    expect((await app.get('/v1/events/%zz/spread')).json()).toMatchObject({ error: { code: 'bad_request' } });
    const long = 'x'.repeat(5_000);
    const [event, coin] = [
      await app.get(`/v1/events/${long}/spread`),
      await app.get(`/v1/markets/venue_a/coins/${long}/orderbook`),
    ];
    expect([event.status, coin.status]).toEqual([404, 404]);
    expect(event.json()).toMatchObject({ error: { code: 'not_found' } });
    expect(coin.json()).toMatchObject({ error: { code: 'unknown_coin' } });
    expect((await app.get(`/v1/nothing/${long}`)).json()).toMatchObject({ error: { code: 'not_found' } });
  });

  it('use the envelope for invalid HTTP too', async () => {
    const { app } = await open();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.end('NONSENSE\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(errorEnvelopeSchema.parse(JSON.parse(text.split('\r\n\r\n')[1]!)).error.code).toBe('bad_request');
  });
});

describe('an incomplete request', () => {
  it.each([
    ['headers', 'GET /providers HTTP/1.1\r\nHost: x\r\n'],
    ['a body', 'POST /keys HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'],
  ])(
    'is answered 408 at the time limit: %s',
    async (_what, start) => {
      const { app } = await open({ app: { requestTimeoutMs: 500 } });
      await app.listen({ host: '127.0.0.1', port: 0 });
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
      socket.write(start);
      let text = '';
      for await (const chunk of socket) text += String(chunk);
      expect(text).toMatch(/HTTP\/1\.1 408 /);
    },
    20_000,
  );
});

describe('shutdown', () => {
  it('waits for running requests and accepts no new connections', async () => {
    let release: (value: unknown) => void = () => {};
    const handle = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const { app, uncachedToken } = await open({ routes: [aRoute({ handle })] });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const headers = { authorization: `Bearer ${await uncachedToken(['read'])}` };
    const requests = fetch(`${address}/v1/thing`, { headers });
    while (release.length === 0) await sleep(1);
    const closed = app.close();
    const refused = async () =>
      fetch(`${address}/providers`).then(
        () => false,
        () => true,
      );
    const deadline = Date.now() + 5_000;
    while (!(await refused()) && Date.now() < deadline) await sleep(5);
    release({ ok: true });
    const response = await requests;
    expect(await response.json()).toEqual({ ok: true });
    expect(response.headers.get('connection')).toBe('close');
    await closed;
    expect(await refused()).toBe(true);
  });
});

describe('bodies', () => {
  const post = defineCallerRoute({
    method: 'POST',
    path: '/v1/thing',
    scope: 'read',
    sku: null,
    summary: 'A thing.',
    params: z.object({}),
    query: z.object({}),
    body: z.unknown(),
    response: z.unknown(),
    handle: () => ({ ok: true }),
  });
  const send = async (payload: string, type = 'application/json') => {
    const test = await open({ routes: [post] });
    const authorization = `Bearer ${await test.uncachedToken(['read'])}`;
    const headers = { authorization, 'content-type': type };
    const response = await test.app.inject({ method: 'POST', url: '/v1/thing', headers, payload });
    return { status: response.statusCode, code: response.json().error?.code };
  };
  it('of 1 MiB are accepted and larger ones are answered 413', async () => {
    const filled = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
    expect(await send(filled(1024 * 1024))).toEqual({ status: 200, code: undefined });
    expect(await send(filled(1024 * 1024 + 1))).toEqual({ status: 413, code: 'validation_failed' });
  });
  it('that are not JSON are bad requests', async () => {
    expect(await send('{')).toEqual({ status: 400, code: 'bad_request' });
    expect(await send('')).toEqual({ status: 400, code: 'bad_request' });
    expect(await send('a=b', 'application/x-www-form-urlencoded')).toEqual({ status: 400, code: 'bad_request' });
    expect(await send('{"__proto__":{"x":1}}')).toEqual({ status: 400, code: 'bad_request' });
  });
});

describe('unknown routes', () => {
  it.each([
    ['{', 'application/json'],
    ['a=b', 'application/x-www-form-urlencoded'],
    [`"${'x'.repeat(1024 * 1024)}"`, 'application/json'],
  ])('are answered 404, whatever the body is: %.10s', async (payload, type) => {
    const { app } = await open();
    const response = await app.inject({
      method: 'POST',
      url: '/v1/nothing',
      headers: { 'content-type': type },
      payload,
    });
    expect(response.statusCode).toBe(404);
    expect(errorEnvelopeSchema.parse(response.json()).error).toMatchObject({
      code: 'not_found',
      message: 'no route POST /v1/nothing',
    });
  });

  it('are answered 404 for any method', async () => {
    const app = await open();
    for (const method of ['GET', 'POST', 'TRACE', 'PROPFIND'])
      expect((await app.request(method, '/v1/nothing')).status, method).toBe(404);
  });
});

describe('cached responses', () => {
  const countingRoute = () => {
    let calls = 0;
    const handle = () => {
      calls += 1;
      return { call: calls };
    };
    return aRoute({ cacheTtlMs: 5_000, handle });
  };

  it('are served until they expire', async () => {
    const app = await open({ routes: [countingRoute()] });
    expect((await app.get('/v1/thing')).json()).toEqual({ call: 1 });
    app.advance(5_000);
    expect((await app.get('/v1/thing')).json()).toEqual({ call: 1 });
    app.advance(1);
    expect((await app.get('/v1/thing')).json()).toEqual({ call: 2 });
  });

  it('do not depend on the spelling of the URL', async () => {
    const app = await open({ routes: [countingRoute()] });
    for (const url of ['/v1/thing', '/v1/thing?', '/v1/thing?=', '/v1/thing?&&'])
      expect((await app.get(url)).json()).toEqual({ call: 1 });
    expect((await app.get('/v1/thing?n=1')).json()).toEqual({ call: 2 });
  });

  it('are not served to unauthorized callers', async () => {
    const app = await open({ routes: [countingRoute()] });
    await app.get('/v1/thing');
    expect((await app.request('GET', '/v1/thing')).status).toBe(401);
    const token = await app.uncachedToken(['stream']);
    expect((await app.request('GET', '/v1/thing', { authorization: `Bearer ${token}` })).status).toBe(403);
  });

  it('are computed once for concurrent requests', async () => {
    const release: ((value: unknown) => void)[] = [];
    const route = aRoute({ cacheTtlMs: 5_000, handle: () => new Promise((resolve) => release.push(resolve)) });
    const app = await open({ routes: [route] });
    const requests = Array.from({ length: 5 }, () => app.get('/v1/thing'));
    while (release.length === 0) await sleep(1);
    release[0]!({ ok: 1 });
    const responses = await Promise.all(requests);
    expect(responses.map((response) => response.body)).toEqual(Array(5).fill('{"ok":1}'));
    expect(release).toHaveLength(1);
  });

  it('do not include errors and responses that the route excludes', async () => {
    let calls = 0;
    const handle = () => {
      calls += 1;
      if (calls === 1) throw new ApiError('not_found', 'not yet');
      return { call: calls };
    };
    const route = aRoute({ cacheTtlMs: 5_000, handle, isCacheable: (body) => (body as { call: number }).call > 2 });
    const app = await open({ routes: [route] });
    expect((await app.get('/v1/thing')).status).toBe(404);
    for (const call of [2, 3, 3]) expect((await app.get('/v1/thing')).json()).toEqual({ call });
  });
});

describe('compression', () => {
  const text = (bytes: number) => 'x'.repeat(bytes - 2);
  const send = async (bytes: number, encoding?: string) => {
    const app = await open({ routes: [aRoute({ cacheTtlMs: 1_000, handle: () => text(bytes) })] });
    return app.get('/v1/thing', encoding === undefined ? {} : { 'accept-encoding': encoding });
  };
  it('is used above 1 KiB if the client accepts it', async () => {
    expect((await send(1_024, 'gzip')).headers['content-encoding']).toBeUndefined();
    const gzipped = await send(1_025, 'gzip');
    expect(gzipped.headers['content-encoding']).toBe('gzip');
    expect(gzipped.headers.vary).toBe('accept-encoding');
    expect(gunzipSync(gzipped.bytes).toString()).toBe(JSON.stringify(text(1_025)));
    const brotli = await send(1_025, 'gzip, br');
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.bytes).toString()).toBe(JSON.stringify(text(1_025)));
    const plain = await send(1_025);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers['content-length']).toBe('1025');
    expect(plain.headers.vary).toBe('accept-encoding');
  });
});

describe('other origins', () => {
  const origin = 'https://app.example';
  it('are not allowed by default', async () => {
    const response = await (await open()).request('GET', '/providers', { origin });
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('are allowed if the setting lists them, for errors too', async () => {
    const app = await open({ app: { corsOrigins: `${origin},https://other.example` } });
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
    const app = await open({ app: { corsOrigins: '*' } });
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
    const { health, request } = await open();
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
    const app = await open();
    app.setReady(false);
    expect((await app.request('GET', '/health')).status).toBe(200);
    expect((await app.request('GET', '/providers')).status).toBe(200);
  });

  it('answers HEAD without a body', async () => {
    const response = await (await open()).request('HEAD', '/health');
    expect(response.status).toBe(200);
    expect(response.body).toBe('');
  });
});

describe('/metrics', () => {
  it('counts responses by declared path and status, without a token', async () => {
    const app = await open();
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
    const app = await open({
      routes: [
        aRoute({ path: '/v1/slow', cacheTtlMs: 5_000, handle: () => sleep(40).then(() => ({ ok: true })) }),
        aRoute({
          path: '/v1/failing',
          handle: async () => {
            await sleep(40);
            throw new ApiError('not_found', 'no such thing');
          },
        }),
      ],
    });
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
    expect((await (await open()).request('POST', '/metrics')).status).toBe(405);
  });
});
