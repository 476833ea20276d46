import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiError } from '#schemas/errors';
import { errorEnvelopeSchema } from '#schemas/http/error-envelope';
import { infoRead } from '#schemas/requests/venue-a-info';
import { defineCallerRoute, type Route } from '../routes/route.ts';
import { heldHandler, openApp, openThing } from '../testing/open-app.fixture.ts';
import { requestsAnsweredBy } from '../testing/requests.fixture.ts';
import type { TestApp } from '../testing/test-app.fixture.ts';
import { readInfo } from '../upstream/read-info.ts';

/** Sends bytes to the application and returns everything that it answers. */
async function answerTo({ app }: TestApp, bytes: string): Promise<string> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

describe('request ids', () => {
  const send = async (headers: Record<string, string>) =>
    (await (await openApp()).request('GET', '/providers', headers)).headers['x-request-id'];
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
    const app = await openApp();
    const response = await app.request('GET', '/v1/nothing', { 'x-request-id': 'mine' });
    expect(response.headers['x-request-id']).toBe('mine');
    expect(response.json()).toEqual({
      error: { code: 'not_found', message: 'no route GET /v1/nothing', requestId: 'mine' },
    });
  });
});

describe('errors', () => {
  it('of the service are sent without their cause and logged with it', async () => {
    const app = await openThing({
      handle: () => {
        throw new Error('the secret reason');
      },
    });
    const response = await app.get('/v1/thing', { 'x-request-id': 'find-me' });
    expect(response.status).toBe(500);
    expect(response.json()).toMatchObject({ error: { code: 'internal_error', requestId: 'find-me' } });
    expect(response.body).not.toContain('secret reason');
    expect(app.logLines.join()).toContain('the secret reason');
    expect(app.logLines.join()).toContain('find-me');
  });

  it('of a venue contain its response', async () => {
    const app = await openThing({
      handle: async () => {
        throw new ApiError('upstream_unavailable', 'venue_a is down', {
          upstream: { provider: 'venue_a', status: 503, body: { reason: 'down' } },
        });
      },
    });
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
    const app = await openThing({ query: query as unknown as Route['query'] as never });
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
    const { handle, releases } = heldHandler();
    const app = await openThing({ handle }, { responseTimeoutMs: 20 });
    const response = await app.get('/v1/thing');
    releases[0]!({});
    expect(response.status).toBe(503);
    expect(response.headers['retry-after']).toBe('1');
    expect(response.json()).toMatchObject({ error: { code: 'internal_error' } });
  });

  it('name the venue if its reads, one after the other, leave no time for another one', async () => {
    let sent = 0;
    const app = await openThing(
      {
        handle: async (_input, { ingest }) => {
          await readInfo(ingest, { type: 'meta' });
          return readInfo(ingest, { type: 'spotMeta' });
        },
      },
      {
        responseTimeoutMs: 2_000,
        requests: requestsAnsweredBy(async () => {
          sent += 1;
          await sleep(sent === 1 ? 10 : 4_000, undefined, { ref: false });
          return {};
        }),
      },
    );
    const response = await app.get('/v1/thing');
    expect([response.status, sent]).toEqual([502, 2]);
    const upstream = { status: null, body: null };
    expect(response.json()).toMatchObject({ error: { code: 'upstream_unavailable', provider: 'venue_a', upstream } });
  });

  it('are bad_request for a malformed URL, and those of the route for an overlong name', async () => {
    const app = await openApp();
    expect((await app.get('/v1/events/%zz/spread')).json()).toMatchObject({ error: { code: 'bad_request' } });
    const long = 'x'.repeat(5_000);
    const event = await app.get(`/v1/events/${long}/spread`);
    const coin = await app.get(`/v1/markets/venue_a/coins/${long}/orderbook`);
    expect([event.status, coin.status]).toEqual([404, 400]);
    expect(event.json()).toMatchObject({ error: { code: 'not_found' } });
    expect(coin.json()).toMatchObject({ error: { code: 'validation_failed' } });
    expect((await app.get(`/v1/nothing/${long}`)).json()).toMatchObject({ error: { code: 'not_found' } });
  });

  it('use the envelope for invalid HTTP too', async () => {
    const text = await answerTo(await openApp(), 'NONSENSE\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(errorEnvelopeSchema.parse(JSON.parse(text.split('\r\n\r\n')[1]!)).error.code).toBe('bad_request');
  });
});

describe('an incomplete request', () => {
  it.each([
    ['headers', 'GET /providers HTTP/1.1\r\nHost: x\r\n'],
    ['a body', 'POST /keys HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'],
  ])('is answered 408 at the time limit: %s', async (_what, start) => {
    expect(await answerTo(await openApp({ app: { requestTimeoutMs: 500 } }), start)).toMatch(/HTTP\/1\.1 408 /);
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
    const app = await openApp({ routes: [post] });
    const headers = { authorization: `Bearer ${app.cachedToken(['read'])}`, 'content-type': type };
    const { status, json } = await app.request('POST', '/v1/thing', headers, payload);
    return { status, code: (json() as { error?: { code: string } }).error?.code };
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

describe('cached responses', () => {
  const counting = () => {
    let calls = 0;
    const handle = () => {
      calls += 1;
      return { call: calls };
    };
    return { cacheTtlMs: 5_000, handle };
  };

  it('are served until they expire', async () => {
    const app = await openThing(counting());
    expect((await app.get('/v1/thing')).json()).toEqual({ call: 1 });
    app.advance(5_000);
    expect((await app.get('/v1/thing')).json()).toEqual({ call: 1 });
    app.advance(1);
    expect((await app.get('/v1/thing')).json()).toEqual({ call: 2 });
  });

  it('do not depend on the spelling of the URL', async () => {
    const app = await openThing(counting());
    for (const url of ['/v1/thing', '/v1/thing?', '/v1/thing?=', '/v1/thing?&&'])
      expect((await app.get(url)).json()).toEqual({ call: 1 });
    expect((await app.get('/v1/thing?n=1')).json()).toEqual({ call: 2 });
  });

  it('are not served to unauthorized callers', async () => {
    const app = await openThing(counting());
    await app.get('/v1/thing');
    expect((await app.request('GET', '/v1/thing')).status).toBe(401);
    const token = await app.uncachedToken(['stream']);
    expect((await app.request('GET', '/v1/thing', { authorization: `Bearer ${token}` })).status).toBe(403);
  });

  it('are computed once for concurrent requests', async () => {
    const { handle, releases } = heldHandler();
    const app = await openThing({ cacheTtlMs: 5_000, handle });
    const requests = Array.from({ length: 5 }, () => app.get('/v1/thing'));
    while (releases.length === 0) await sleep(1);
    releases[0]!({ ok: 1 });
    const responses = await Promise.all(requests);
    expect(responses.map((response) => response.body)).toEqual(Array(5).fill('{"ok":1}'));
    expect(releases).toHaveLength(1);
  });

  it('that may need a read of a venue are computed in the turn of each organization, and then served to all', async () => {
    const turns = new Map<string, (error: ApiError | null) => void>();
    const requests = requestsAnsweredBy(
      (_kind, _params, orgId) =>
        new Promise((resolve, reject) => {
          expect(turns.has(orgId)).toBe(false);
          turns.set(orgId, (error) => (error ? reject(error) : resolve({ native: orgId })));
        }),
    );
    const app = await openThing(
      {
        path: '/v1/markets/thing',
        cacheTtlMs: 5_000,
        handle: async (_input, { ingest }) => (await ingest.send(infoRead, { type: 'meta' })).result.native,
      },
      { requests },
    );
    const headers = { authorization: `Bearer ${app.tokenOfOther('org_single')}` };
    const rushing = [app.get('/v1/markets/thing'), app.get('/v1/markets/thing')];
    const single = app.get('/v1/markets/thing', headers);
    while (turns.size < 2) await sleep(1);
    turns.get('org_test')!(new ApiError('upstream_rate_limited', 'no room'));
    expect((await Promise.all(rushing)).map(({ status }) => status)).toEqual([429, 429]);
    turns.get('org_single')!(null);
    expect((await single).json()).toBe('org_single');
    expect((await app.get('/v1/markets/thing')).json()).toBe('org_single');
  });

  it('do not include errors and responses that the route excludes', async () => {
    let calls = 0;
    const handle = () => {
      calls += 1;
      if (calls === 1) throw new ApiError('not_found', 'not yet');
      return { call: calls };
    };
    const app = await openThing({
      cacheTtlMs: 5_000,
      handle,
      isCacheable: (body) => (body as { call: number }).call > 2,
    });
    expect((await app.get('/v1/thing')).status).toBe(404);
    for (const call of [2, 3, 3]) expect((await app.get('/v1/thing')).json()).toEqual({ call });
  });
});

describe('compression', () => {
  const text = (bytes: number) => 'x'.repeat(bytes - 2);
  const send = async (bytes: number, encoding?: string) => {
    const app = await openThing({ cacheTtlMs: 1_000, handle: () => text(bytes) });
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
