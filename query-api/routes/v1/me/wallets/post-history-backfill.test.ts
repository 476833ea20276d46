import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LogError } from '#infra/log/log';
import { RequestError } from '#infra/requests/request-error';
import type { BackfillState } from '#schemas/requests/history-backfill';
import { requestsAnsweredBy } from '../../../../testing/requests.fixture.ts';
import { openTestService, type TestService } from '../../../../testing/test-service.fixture.ts';

const ADDRESS = `0x${'aB'.repeat(20)}`;
const STARTED_MS = Date.UTC(2026, 0, 2);
const FOUND: Omit<BackfillState, 'id' | 'walletId'> = {
  status: 'done',
  reason: null,
  fills: 12,
  fromBlock: 85_000_000,
  toBlock: 85_302_400,
  startedAt: STARTED_MS,
  endedAt: STARTED_MS + 1_000,
};

let service: TestService;
let respond: () => Promise<Partial<BackfillState> | null>;
interface Params {
  readonly id: string;
  readonly lookbackDays: number;
}
const sent: { kind: string; orgId: string; params: Params }[] = [];
const ids: Record<string, string> = {};

beforeAll(async () => {
  const requests = requestsAnsweredBy(async (kind, params: Params, orgId) => {
    sent.push({ kind, orgId, params });
    const state = await respond();
    return state && { id: params.id, walletId: ids.venue_b, ...state };
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

it('returns the result with the id of the backfill, and counts as api.request', async () => {
  const got = await backfill(undefined, '', { headers: { 'x-request-id': 'mine' } });
  expect(got.status).toBe(200);
  const [{ kind, orgId, params } = { params: null }] = sent;
  expect(got.body).toEqual({
    requestId: params?.id,
    fills: 12,
    scanned: { fromBlock: '85000000', toBlock: '85302400' },
  });
  expect(got.headers['x-quota-sku']).toBe('api.request');
  const own = service.control.state.firstOrganizationId;
  expect([kind, orgId]).toEqual(['venue_b.history-backfill', own]);
  const address = ADDRESS.toLowerCase();
  expect(params).toEqual({ id: params?.id, orgId: own, walletId: ids.venue_b, address, lookbackDays: 7 });
  expect((await backfill()).body.requestId).not.toBe(params?.id);
});

it.each([
  ['running', { fromBlock: 85_000_000, toBlock: 85_302_400 }, { fromBlock: '85000000', toBlock: '85302400' }],
  ['queued', { fromBlock: null, toBlock: null }, null],
] as const)('answers 202 while it is %s', async (status, blocks, scanned) => {
  respond = async () => ({ ...FOUND, ...blocks, status, endedAt: null });
  const got = await backfill();
  const { requestId, ...body } = got.body;
  expect([got.status, requestId]).toEqual([202, sent[0]!.params.id]);
  expect(body).toEqual({ status, fills: 12, scanned, startedAt: '2026-01-02T00:00:00.000Z', endedAt: null });
});

it('reports that a scan failed, or that too many wait', async () => {
  respond = async () => ({ ...FOUND, status: 'failed', reason: 'chain_unavailable' });
  const failed = await backfill();
  expect([failed.status, failed.body.error.code]).toEqual([502, 'upstream_unavailable']);
  respond = async () => null;
  const refused = await backfill();
  expect([refused.status, refused.body.error.code]).toEqual([503, 'internal_error']);
});

it('answers 404 if the wallet was removed meanwhile', async () => {
  respond = async () => ({ ...FOUND, status: 'failed', reason: 'wallet_not_bound' });
  const removed = await backfill();
  expect([removed.status, removed.body.error.code]).toEqual([404, 'not_found']);
});

describe('GET /v1/me/backfills/:requestId', () => {
  const state = (id: string, options = {}) => service.request('GET', `/v1/me/backfills/${id}`, options);

  it('returns the state of a backfill', async () => {
    respond = async () => ({ ...FOUND, status: 'running', endedAt: null });
    const got = await state('bf_1');
    expect([got.status, got.body]).toEqual([
      200,
      {
        requestId: 'bf_1',
        walletId: ids.venue_b,
        status: 'running',
        reason: null,
        scanned: { fromBlock: '85000000', toBlock: '85302400' },
        fills: 12,
        startedAt: '2026-01-02T00:00:00.000Z',
        endedAt: null,
      },
    ]);
    const orgId = service.control.state.firstOrganizationId;
    expect(sent).toEqual([{ kind: 'venue_b.backfill-state', orgId, params: { id: 'bf_1', orgId } }]);
  });

  it('answers 404 for an unknown one, one that is too long and every one of a sandbox key', async () => {
    respond = async () => null;
    const { token } = await service.key(service.admin, ['read'], true);
    const unknown = await state('bf_2');
    for (const got of [unknown, await state('x'.repeat(200)), await state('bf_1', { token })])
      expect([got.status, got.body.error.message]).toEqual([404, unknown.body.error.message]);
    expect(sent).toHaveLength(1);
  });

  it('answers 502 while ingest does not answer', async () => {
    respond = async () => Promise.reject(new RequestError('late'));
    const got = await state('bf_1');
    expect([got.status, got.body.error.code]).toEqual([502, 'upstream_unavailable']);
  });
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
  ['ingest does not answer', 'late', 502, 'upstream_unavailable'],
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
