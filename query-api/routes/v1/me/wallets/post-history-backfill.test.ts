import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { BackfillAnswer, BackfillClient } from '#infra/backfills/backfill-client';
import { LogError } from '#infra/log/log';
import type { BackfillFailure } from '#schemas/topics/backfills';
import { openTestService, type TestService } from '../../../../testing/test-service.fixture.ts';

const ADDRESS = `0x${'aB'.repeat(20)}`;
const FOUND = { id: 'b', receivedAt: 1, failure: null, fills: 12, fromBlock: 85_000_000, toBlock: 85_302_400 };

let service: TestService;
let respond: () => Promise<BackfillAnswer>;
const requests: Parameters<BackfillClient['request']>[0][] = [];
const ids: Record<string, string> = {};

beforeAll(async () => {
  const request: BackfillClient['request'] = async (backfillRequest) => {
    requests.push(backfillRequest);
    return respond();
  };
  service = await openTestService({ backfills: { request } });
  for (const provider of ['venue_a', 'venue_b']) {
    const body = { provider, address: ADDRESS, label: provider };
    ids[provider] = (await service.request('POST', '/v1/me/wallets', { body })).body.id;
  }
});
afterAll(() => service.close());
beforeEach(() => {
  requests.length = 0;
  respond = async () => FOUND;
});

const backfill = (id = ids.venue_b!, query = '', options = {}) =>
  service.request('POST', `/v1/me/wallets/${id}/history-backfill${query}`, options);

it('returns the result with the request id, and counts as api.request', async () => {
  const got = await backfill(undefined, '', { headers: { 'x-request-id': 'mine' } });
  expect(got.status).toBe(200);
  expect(got.body).toEqual({
    requestId: 'mine',
    fills: 12,
    scanned: { fromBlock: '85000000', toBlock: '85302400' },
  });
  expect(got.headers['x-quota-sku']).toBe('api.request');
  expect(requests).toEqual([{ orgId: expect.any(String), address: ADDRESS.toLowerCase(), lookbackDays: 7 }]);
});

it.each([
  ['', 7],
  ['?lookback_days=0', 1],
  ['?lookback_days=-5', 1],
  ['?lookback_days=1', 1],
  ['?lookback_days=30', 30],
  ['?lookback_days=31', 30],
  ['?lookback_days=99999999999999999999', 30],
])('clamps the lookback: %j', async (query, days) => {
  expect((await backfill(undefined, query)).status).toBe(200);
  expect(requests[0]!.lookbackDays).toBe(days);
});

it.each(['x', '1.5', '', '7d'])('refuses %j days and names the parameter', async (days) => {
  const got = await backfill(undefined, `?lookback_days=${days}`);
  expect([got.status, got.body.error.code]).toEqual([400, 'validation_failed']);
  expect(got.body.error.message).toContain('lookback_days');
  expect(requests).toEqual([]);
});

it('answers 400 for a wallet of another venue, and 404 for a wallet of another caller', async () => {
  const other = await backfill(ids.venue_a!);
  expect([other.status, other.body.error.code]).toEqual([400, 'validation_failed']);
  expect((await backfill('wal_none')).status).toBe(404);
  const { token } = await service.organization('Stranger');
  const foreign = await backfill(undefined, '', { token });
  expect([foreign.status, foreign.body.error.code]).toEqual([404, 'not_found']);
  expect(requests).toEqual([]);
});

it('answers 400 for a sandbox wallet', async () => {
  const { token } = await service.key(service.admin, ['read', 'admin'], true);
  const body = { provider: 'venue_b', address: ADDRESS, label: 'sandbox' };
  const { id } = (await service.request('POST', '/v1/me/wallets', { token, body })).body;
  expect((await backfill(id, '', { token })).status).toBe(400);
  expect(requests).toEqual([]);
});

it('requires only the scope read', async () => {
  const { token } = await service.key(service.admin, ['read']);
  expect((await backfill(undefined, '', { token })).status).toBe(200);
  const admin = (await service.key(service.admin, ['admin', 'trade', 'stream'])).token;
  const refused = await backfill(undefined, '', { token: admin });
  expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden_scope']);
});

const failed = (failure: BackfillFailure) => ({ ...FOUND, failure, fills: 0, fromBlock: 0, toBlock: 0 });
it.each([
  ['the scan takes too long', 'late', 504, 'upstream_unavailable'],
  ['it waited too long', failed('expired'), 503, 'internal_error'],
  ['the node fails', failed('node_failed'), 502, 'upstream_unavailable'],
  ['there is no node', failed('no_node'), 503, 'upstream_unavailable'],
  ['too many wait in ingest', failed('busy'), 503, 'internal_error'],
  ['too many wait here', 'busy', 503, 'internal_error'],
] as const)('reports that %s, and uses no quota', async (_, result, status, code) => {
  const before = Number((await backfill()).headers['x-quota-remaining']);
  respond = async () => result;
  const got = await backfill();
  expect([got.status, got.body.error.code]).toEqual([status, code]);
  expect(got.headers['retry-after']).toBe('5');
  expect(got.body.error.provider).toBe(code === 'upstream_unavailable' ? 'venue_b' : undefined);
  expect(Number(got.headers['x-quota-remaining'])).toBe(before);
});

it('answers 503 while the log is full', async () => {
  respond = async () => Promise.reject(new LogError('log_full', 'no room'));
  const got = await backfill();
  expect([got.status, got.body.error.code]).toEqual([503, 'internal_error']);
});
