import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptySandbox } from '../testing/records.fixture.ts';
import { requestsAnsweredBy } from '../testing/requests.fixture.ts';
import { openTestService, type TestService } from '../testing/test-service.fixture.ts';
import { type InfoResponse, readInfoResponses, sandboxRequests } from './info-responses.ts';

const HOLDER = `0x${'8'.repeat(40)}`;
const VALUES = new Map([[`venue_b:${HOLDER}`, { valueUsd: '5' }]]);
let service: TestService;
let token: string;
let responses: InfoResponse[];
let user: string;
const reads: unknown[] = [];
beforeAll(async () => {
  responses = await readInfoResponses();
  user = responses.find(({ request }) => request.user)!.request.user!;
  const data = { ...(await emptySandbox().data()), ingest: sandboxRequests(responses, VALUES) };
  const requests = requestsAnsweredBy((kind) => reads.push(kind));
  service = await openTestService({ sandbox: { data: async () => data }, requests });
  token = (await service.key(service.admin, ['read'], true)).token;
});
afterAll(() => service.close());
const get = (path: string) => service.request('GET', `/v1/venue_a/info/${path}`, { token });

it('a sandbox key reads the fixed responses about one account, and never the venue', async () => {
  for (const [path, type] of [
    [`clearinghouse-state?user=${user}`, 'clearinghouseState'],
    [`spot-clearinghouse-state?user=${user}`, 'spotClearinghouseState'],
    [`open-orders?user=${user}`, 'frontendOpenOrders'],
    [`historical-orders?user=${user}`, 'historicalOrders'],
    ['meta', 'meta'],
    ['spotMeta', 'spotMeta'],
    ['perp-dexs', 'perpDexs'],
  ]) {
    const got = await get(path!);
    expect([got.status, got.headers['x-svc-sandbox']], path).toEqual([200, 'true']);
    const { etag, age, 'cache-control': cacheControl } = got.headers;
    expect([etag, age, cacheControl], path).toEqual([
      expect.stringMatching(/^W\//),
      expect.stringMatching(/^\d$/),
      expect.stringMatching(/^private, max-age=(2|10|60)$/),
    ]);
    const { native, fetchedAt } = responses.find(({ request }) => request.type === type && request.dex === undefined)!;
    expect(got.body.native).toEqual(native);
    expect(got.body.meta.fetchedAt).toBe(new Date(fetchedAt).toISOString());
  }
  const fills = (await get(`user-fills?user=${user.toUpperCase().replace('X', 'x')}`)).body.native;
  expect(fills.some(({ liquidation }: { liquidation: unknown }) => liquidation !== null)).toBe(true);
  expect(reads).toEqual([]);
});

it('another account is unknown to a sandbox key', async () => {
  const got = await get(`user-fills?user=0x${'9'.repeat(40)}`);
  expect([got.status, got.body.error.code]).toEqual([404, 'not_found']);
  expect((await get('meta?dex=none')).body.error.code).toBe('unknown_dex');
  expect(reads).toEqual([]);
});

it('a sandbox key reads the positions of the same account, and of another one that there are none', async () => {
  const positions = async (address: string) =>
    (await service.request('GET', `/v1/positions?user=${address}&provider=venue_a`, { token })).body;
  const known = await positions(user);
  expect(Object.keys(known.native[0].native.clearinghouseStateByDex)).toContain('');
  expect(known.warnings).toEqual([]);
  expect(await positions(`0x${'9'.repeat(40)}`)).toMatchObject({ positions: [], warnings: [], asOf: null });
  expect(reads).toEqual([]);
});

it('a sandbox key reads that an account of venue_b has no positions, or that those it has are missing', async () => {
  const positions = async (address: string) =>
    (await service.request('GET', `/v1/positions?user=${address}`, { token })).body;
  expect(await positions(`0x${'9'.repeat(40)}`)).toMatchObject({ positions: [], warnings: [] });
  expect((await positions(user)).warnings).toEqual([]);
  const missing = { code: 'upstream_unavailable', provider: 'venue_b' };
  expect((await positions(HOLDER)).warnings).toEqual([expect.objectContaining(missing)]);
  expect(reads).toEqual([]);
});
