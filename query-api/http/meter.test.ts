import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DEFAULT_QUOTAS, parseQuotas } from '#schemas/domain/quota/plan-quotas';
import { ApiError } from '#schemas/errors';
import { postKeys } from '../routes/keys/post-keys.ts';
import { defineCallerRoute, defineRoute } from '../routes/route.ts';
import { postOrganizations } from '../routes/v1/organizations/post-organizations.ts';
import { openTestService, type TestService } from '../testing/test-service.fixture.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
let service: TestService;
afterEach(() => service.close());

const common = { sku: 'markets.read', summary: 'x', params: z.object({}), response: z.unknown() } as const;
const cached = defineRoute({
  ...common,
  method: 'GET',
  path: '/v1/markets/cached',
  scope: 'read',
  cacheTtlMs: 60_000,
  query: z.object({ n: z.string().regex(/^\d+$/).optional() }),
  handle: () => ({ ok: true }),
});
const failing = defineRoute({
  ...common,
  method: 'GET',
  path: '/v1/markets/failing',
  scope: 'read',
  cacheTtlMs: 0,
  query: z.object({}),
  handle: () => {
    throw new ApiError('unknown_coin', 'no');
  },
});
const posted = defineCallerRoute({
  ...common,
  method: 'POST',
  path: '/v1/markets/posted',
  scope: 'read',
  query: z.object({}),
  body: z.strictObject({ a: z.string() }),
  handle: ({ caller }) => ({ plan: caller.plan }),
});
const open = async (quotas: string | null) => {
  let now = NOON;
  service = await openTestService({
    routes: [cached, failing, posted, postKeys, postOrganizations],
    quotas: quotas === null ? DEFAULT_QUOTAS : parseQuotas(quotas),
    wallNow: () => now,
  });
  return {
    advance: (ms: number) => {
      now += ms;
    },
  };
};
const quotaOf = ({ headers }: { headers: Record<string, string | undefined> }) =>
  ['sku', 'limit', 'remaining', 'reset'].map((name) => headers[`x-quota-${name}`]);
const RESET = String(NOON / 1_000 + 60);

describe('a metered route', () => {
  it('counts successes, cached ones included, and reports the remaining quota', async () => {
    const clock = await open('{"enterprise":{"markets.read":{"minute":3}}}');
    for (const left of ['2', '1', '0']) {
      const got = await service.request('GET', '/v1/markets/cached');
      expect([got.status, ...quotaOf(got)]).toEqual([200, 'markets.read', '3', left, RESET]);
      expect(got.headers.ratelimit).toContain(`r=${left}`);
      expect(got.headers['ratelimit-policy']).toContain('q=3;w=60');
    }
    clock.advance(20_000);
    const refused = await service.request('GET', '/v1/markets/cached');
    expect([refused.status, refused.body.error.code]).toEqual([429, 'quota_exceeded']);
    expect(refused.headers['retry-after']).toBe('40');
    expect(quotaOf(refused)).toEqual(['markets.read', '3', '0', RESET]);
    clock.advance(40_000);
    expect((await service.request('GET', '/v1/markets/cached')).headers['x-quota-remaining']).toBe('2');
  });

  it('does not count failures, and reports the remaining quota with each of them', async () => {
    await open('{"enterprise":{"markets.read":{"minute":2}}}');
    const json = { 'content-type': 'application/json' };
    const failures = [
      await service.request('GET', '/v1/markets/failing'),
      await service.request('GET', '/v1/markets/cached?n=x'),
      await service.request('POST', '/v1/markets/posted', { body: { b: 1 } }),
      await service.request('POST', '/v1/markets/posted', { headers: json, body: '{' }),
    ];
    expect(failures.map(({ status }) => status)).toEqual([404, 400, 400, 400]);
    for (const got of failures) expect(quotaOf(got)).toEqual(['markets.read', '2', '2', RESET]);
    const got = await service.request('POST', '/v1/markets/posted', { body: { a: 'a' } });
    expect([got.status, got.headers['x-quota-remaining']]).toEqual([200, '1']);
  });

  it('counts per organization, whichever key is used, with the limit of its current plan', async () => {
    await open('{"free":{"markets.read":{"minute":1}},"pro":{"markets.read":{"minute":2}}}');
    const { id, token } = await service.organization('Small', 'free');
    const second = await service.key(token, ['read']);
    expect((await service.request('GET', '/v1/markets/cached', { token })).status).toBe(200);
    expect((await service.request('GET', '/v1/markets/cached', { token: second.token })).status).toBe(429);
    expect((await service.request('GET', '/v1/markets/cached')).status).toBe(200);
    await service.control.submit('organization.change', {
      organizationId: id,
      plan: 'pro',
      actor: {
        orgId: service.control.state.firstOrganizationId,
        keyId: [...service.control.state.keys.values()][0]!.id,
        userId: 'admin',
        sandbox: false,
      },
    });
    expect((await service.request('GET', '/v1/markets/cached', { token: second.token })).status).toBe(200);
  });

  it('sends no quota headers to an unauthenticated caller', async () => {
    await open(null);
    const got = await service.request('GET', '/v1/markets/cached', { token: null });
    expect([got.status, got.headers['x-quota-sku']]).toEqual([401, undefined]);
  });
});
