import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { LogError } from '#infra/log/log';
import { RequestError } from '#infra/requests/request-error';
import { requestsAnsweredBy } from '../../../../testing/requests.fixture.ts';
import { openTestService, type TestService } from '../../../../testing/test-service.fixture.ts';

const ADDRESS = `0x${'aB'.repeat(20)}`;
const FOUND = { fills: 12, fromBlock: 85_000_000, toBlock: 85_302_400 };

let service: TestService;
let respond: () => Promise<typeof FOUND>;
const sent: { kind: string; orgId: string; params: { lookbackDays: number } }[] = [];
const ids: Record<string, string> = {};

beforeAll(async () => {
  const requests = requestsAnsweredBy((kind, params, orgId) => {
    sent.push({ kind, orgId, params });
    return respond();
  });
  service = await openTestService({ requests });
  for (const provider of ['venue_a', 'venue_b']) {
    const body = { provider, address: ADDRESS, label: provider };
    ids[provider] = (await service.request('POST', '/v1/me/wallets', { body })).body.id;
  }
});
afterAll(() => service.close());
beforeEach(() => {
  sent.length = 0;
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
  const orgId = service.control.state.firstOrganizationId;
  const params = { address: ADDRESS.toLowerCase(), lookbackDays: 7 };
  expect(sent).toEqual([{ kind: 'venue_b.history-backfill', orgId, params }]);
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
  expect(sent[0]!.params.lookbackDays).toBe(days);
});

it.each(['x', '1.5', '', '7d'])('refuses %j days and names the parameter', async (days) => {
  const got = await backfill(undefined, `?lookback_days=${days}`);
  expect([got.status, got.body.error.code]).toEqual([400, 'validation_failed']);
  expect(got.body.error.message).toContain('lookback_days');
  expect(sent).toEqual([]);
});

it('answers 400 for a wallet of another venue, and 404 for a wallet of another caller', async () => {
  const other = await backfill(ids.venue_a!);
  expect([other.status, other.body.error.code]).toEqual([400, 'validation_failed']);
  expect((await backfill('wal_none')).status).toBe(404);
  const { token } = await service.organization('Stranger');
  const foreign = await backfill(undefined, '', { token });
  expect([foreign.status, foreign.body.error.code]).toEqual([404, 'not_found']);
  expect(sent).toEqual([]);
});

it('answers 400 for a sandbox wallet', async () => {
  const { token } = await service.key(service.admin, ['read', 'admin'], true);
  const body = { provider: 'venue_b', address: ADDRESS, label: 'sandbox' };
  const { id } = (await service.request('POST', '/v1/me/wallets', { token, body })).body;
  expect((await backfill(id, '', { token })).status).toBe(400);
  expect(sent).toEqual([]);
});

it('requires only the scope read', async () => {
  const { token } = await service.key(service.admin, ['read']);
  expect((await backfill(undefined, '', { token })).status).toBe(200);
  const admin = (await service.key(service.admin, ['admin', 'trade', 'stream'])).token;
  const refused = await backfill(undefined, '', { token: admin });
  expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden_scope']);
});

it.each([
  ['the scan takes too long', 'late', 504, 'upstream_unavailable'],
  ['it waited too long', 'expired', 503, 'internal_error'],
  ['the node fails', 'upstream_failed', 502, 'upstream_unavailable'],
  ['there is no node', 'unavailable', 503, 'upstream_unavailable'],
  ['too many wait', 'busy', 503, 'internal_error'],
] as const)('reports that %s, and uses no quota', async (_, failure, status, code) => {
  const before = Number((await backfill()).headers['x-quota-remaining']);
  respond = async () => Promise.reject(new RequestError(failure));
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
