import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts';

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp();
});
afterEach(() => test.app.close());

async function messageOf(path: string): Promise<string> {
  const response = await test.get(path);
  expect(response.status, response.body).toBe(400);
  const { error }: { error: { code: string; message: string } } = response.json();
  expect(error.code).toBe('validation_failed');
  return error.message;
}

describe('a query parameter that the route does not have', () => {
  it('is refused with its name and the accepted names', async () => {
    const message = await messageOf('/v1/events?min_provider=2');
    expect(message).toMatch(/^min_provider: unknown query parameter \(accepted: /);
    expect(message).toContain('min_providers');
  });

  it('is refused on a route without query parameters', async () => {
    expect(await messageOf('/v1/markets/venue_a/coins?limit=3&page=2')).toBe(
      'limit: unknown query parameter (this route has no query parameters); ' +
        'page: unknown query parameter (this route has no query parameters)',
    );
  });

  it.each(['/health', '/metrics', '/openapi.json'])('is refused on %s', async (path) => {
    expect(await messageOf(`${path}?probe=1&x=2`)).toBe(
      'probe: unknown query parameter (this route has no query parameters); ' +
        'x: unknown query parameter (this route has no query parameters)',
    );
  });

  it('is ignored without a name', async () => {
    for (const path of ['/v1/events?=&limit=1', '/metrics?', '/metrics?=', '/openapi.json?&=1'])
      expect((await test.get(path)).status, path).toBe(200);
  });

  it('is refused each time, although parsed URLs are cached', async () => {
    for (let time = 0; time < 2; time += 1) await messageOf('/v1/events?typo=1');
    expect((await test.get('/v1/events?limit=1')).status).toBe(200);
  });
});

describe('a time parameter', () => {
  it('is refused in unix seconds, with the name of the parameter', async () => {
    expect(await messageOf('/v1/events?resolution_after=1767225600')).toBe(
      'resolution_after: must be unix milliseconds; 1767225600 looks like unix seconds',
    );
  });

  it('is accepted in unix milliseconds', async () => {
    expect((await test.get('/v1/events?resolution_after=1767225600000')).status).toBe(200);
  });
});
