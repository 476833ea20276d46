import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute, producedAt, type Route } from '../routes/route.ts';
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts';
import { matchesTag } from './validators.ts';

let computed = 0;
let text: string;
let at: number | null;
const aRoute = (path: `/${string}`, sku: 'markets.read' | 'api.request'): Route =>
  defineRoute({
    method: 'GET',
    path,
    scope: 'read',
    sku,
    cacheTtlMs: 5_000,
    summary: 'A route.',
    params: z.object({}),
    query: z.object({}),
    response: z.unknown(),
    isCacheable: () => text !== 'uncached',
    handle: () => {
      computed += 1;
      return at === null ? { text } : producedAt(at, { text });
    },
  });
const PATH = '/v1/markets/venue_a/thing';
let test: TestApp;
beforeEach(async () => {
  computed = 0;
  text = 'a';
  at = null;
  test = await createTestApp({
    routes: [
      aRoute(PATH, 'markets.read'),
      aRoute('/v1/venue_a/info/thing', 'api.request'),
      aRoute('/v1/events', 'api.request'),
    ],
  });
});

describe('a cached response of a conditional route', () => {
  it('carries a weak tag, its lifetime and its age', async () => {
    for (const path of [PATH, '/v1/venue_a/info/thing']) {
      const first = await test.get(path);
      expect(first.headers).toMatchObject({ 'cache-control': 'private, max-age=5', age: '0' });
      expect(first.headers.etag).toMatch(/^W\/"[\w-]{22}"$/);
      test.advance(2_900);
      expect((await test.get(path)).headers).toMatchObject({ etag: first.headers.etag, age: '2' });
    }
    expect(computed).toBe(2);
  });

  it('counts its age from when the data was fetched', async () => {
    at = Date.now() - 3_000;
    expect((await test.get(PATH)).headers.age).toBe('3');
    test.advance(2_001);
    await test.get(PATH);
    expect(computed).toBe(2);
  });

  it('is answered with 304 and the same headers to a client that has it, which counts one unit', async () => {
    const first = await test.get(PATH);
    test.advance(1_000);
    const again = await test.get(PATH, { 'if-none-match': `"other", ${first.headers.etag}` });
    expect([again.status, again.body, again.headers['content-type']]).toEqual([304, '', undefined]);
    expect(again.headers).toMatchObject({ etag: first.headers.etag, 'cache-control': 'private, max-age=5', age: '1' });
    const remaining = (response: typeof first) => Number(response.headers['x-quota-remaining']);
    expect(remaining(first) - remaining(again)).toBe(1);
    test.advance(5_000);
    text = 'b';
    const changed = await test.get(PATH, { 'if-none-match': String(first.headers.etag) });
    expect([changed.status, changed.headers.etag === first.headers.etag]).toEqual([200, false]);
  });

  it('has the same tag when it is computed again without a change', async () => {
    const first = await test.get(PATH);
    test.advance(6_000);
    const got = await test.get(PATH, { 'if-none-match': String(first.headers.etag) });
    expect([got.status, got.headers.age, computed]).toEqual([304, '0', 2]);
  });
});

it('is not sent where nothing is cached: for other routes, uncacheable bodies and errors', async () => {
  const other = await test.get('/v1/events');
  text = 'uncached';
  const uncached = await test.get(PATH);
  const error = await test.get(`${PATH}?x=1`);
  for (const { headers } of [other, uncached, error])
    expect([headers.etag, headers.age, headers['cache-control']]).toEqual([undefined, undefined, 'no-store']);
});

it('compares tags weakly', () => {
  const tag = { etag: 'W/"abc"' };
  for (const header of ['W/"abc"', '"abc"', '*', ' "x" , W/"abc"']) expect(matchesTag(header, tag), header).toBe(true);
  for (const header of [undefined, '', 'abc', '"abcd"', 'W/"x"']) expect(matchesTag(header, tag), header).toBe(false);
});
