import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { RequestError } from '#infra/requests/request-error';
import { requestsAnsweredBy } from '../../../../testing/requests.fixture.ts';
import { openTestService, type TestService } from '../../../../testing/test-service.fixture.ts';
import { postKeys } from '../../../keys/post-keys.ts';
import { getWalletPnlCurve } from './get-pnl-curve.ts';
import { getWalletsPnlCurve } from './get-wallets-pnl-curve.ts';
import { postWallets } from './post-wallets.ts';

const ADDRESS = `0x${'aB'.repeat(20)}`;
const OTHER = `0x${'cd'.repeat(20)}`;
const FETCHED_AT = Date.UTC(2026, 2, 1);
const AS_OF = '2026-03-01T00:00:00.000Z';

const history = (...figures: string[]) => figures.map((figure, at) => [1_700_000_000_063 + at * 3_600_000, figure]);
const period = (name: string, ...pnl: string[]) => [
  name,
  { accountValueHistory: history(...pnl.map(() => '10.0')), pnlHistory: history(...pnl), vlm: '0.0' },
];
const PORTFOLIO = [
  period('day', '5.0', '7.25'),
  period('week'),
  period('month', '0.0'),
  period('allTime', '0.0', '-3.5', '12.000001'),
];

let service: TestService;
/** Native responses, or errors, by kind of request. */
let answers: Record<string, (params: { window?: string }) => unknown>;
const sent: { kind: string; params: object }[] = [];
const ids: Record<string, string> = {};

beforeAll(async () => {
  const requests = requestsAnsweredBy((kind, params) => {
    sent.push({ kind, params });
    return answers[kind]!(params);
  });
  service = await openTestService({ requests, routes: [getWalletPnlCurve, getWalletsPnlCurve, postWallets, postKeys] });
  for (const [provider, address] of [
    ['venue_a', ADDRESS],
    ['venue_b', ADDRESS],
    ['venue_b', OTHER],
  ] as const) {
    const { body } = await service.request('POST', '/v1/me/wallets', { body: { provider, address, label: 'x' } });
    ids[`${provider} ${address}`] = body.id;
  }
});
afterAll(() => service.close());
beforeEach(() => {
  sent.length = 0;
  answers = {
    'venue_a.info': () => ({ native: PORTFOLIO, fetchedAt: FETCHED_AT, source: 'official' }),
    'venue_b.user-pnl': () => ({ text: '[{"t":100,"p":2.5},{"t":200,"p":-1.25}]', fetchedAt: FETCHED_AT }),
  };
});

const idOf = (provider: string, address = ADDRESS) => ids[`${provider} ${address}`]!;
const get = (path: string, options = {}) => service.request('GET', `/v1/me/wallets/${path}`, options);

it('returns the series of venue_a since its first point, from a request that other windows share', async () => {
  const id = idOf('venue_a');
  const got = await get(`${id}/pnl-curve`);
  expect([got.status, got.body]).toEqual([
    200,
    {
      walletId: id,
      provider: 'venue_a_perp',
      address: ADDRESS.toLowerCase(),
      window: 'ALL',
      source: 'venue_a_portfolio',
      points: [
        { t: 1_700_000_000, pnl: 0 },
        { t: 1_700_003_600, pnl: -3.5 },
        { t: 1_700_007_200, pnl: 12.000001 },
      ],
      asOf: AS_OF,
    },
  ]);
  expect((await get(`${id}/pnl-curve?window=1D`)).body.points.map(({ pnl }: { pnl: number }) => pnl)).toEqual([
    0, 2.25,
  ]);
  expect((await get(`${id}/pnl-curve?window=1W`)).body.points).toEqual([]);
  const request = { kind: 'venue_a.info', params: { type: 'portfolio', user: ADDRESS.toLowerCase() } };
  expect(sent).toEqual([request, request, request]);
});

it('returns the series of venue_b since its first point', async () => {
  const got = await get(`${idOf('venue_b')}/pnl-curve?window=1M`);
  expect(got.body).toMatchObject({
    window: '1M',
    source: 'venue_b_user_pnl',
    points: [
      { t: 100, pnl: 0 },
      { t: 200, pnl: -3.75 },
    ],
  });
  expect(sent).toEqual([{ kind: 'venue_b.user-pnl', params: { address: ADDRESS.toLowerCase(), window: '1M' } }]);
});

it.each([
  ['a request that failed', () => Promise.reject(new RequestError('late')), 502, 'upstream_unavailable'],
  ['no room within the limits', () => Promise.reject(new RequestError('rate_limited')), 429, 'upstream_rate_limited'],
  ['a truncated response', () => ({ text: '[{"t":1', fetchedAt: FETCHED_AT }), 502, 'upstream_unavailable'],
  ['a missing figure', () => ({ text: '[{"t":1,"p":null}]', fetchedAt: FETCHED_AT }), 502, 'upstream_unavailable'],
])('answers with an error, and never with points, after %s', async (_, answer, status, code) => {
  answers['venue_b.user-pnl'] = answer;
  const got = await get(`${idOf('venue_b')}/pnl-curve`);
  expect([got.status, got.body.error.code, got.body.error.provider]).toEqual([status, code, 'venue_b']);
});

it('answers with an error after a response of venue_a of another shape', async () => {
  answers['venue_a.info'] = () => ({ native: { day: 1 }, fetchedAt: FETCHED_AT, source: 'official' });
  const got = await get(`${idOf('venue_a')}/pnl-curve`);
  const { provider, upstream } = got.body.error;
  expect([got.status, provider, upstream]).toEqual([502, 'venue_a', { status: 200, body: { day: 1 } }]);
});

it('names an invalid window, and answers 404 for a wallet of another caller', async () => {
  for (const path of [`${idOf('venue_a')}/pnl-curve?window=1Y`, 'pnl-curve?window=all']) {
    const got = await get(path);
    expect([got.status, got.body.error.code]).toEqual([400, 'validation_failed']);
    expect(got.body.error.message).toContain('window');
  }
  expect((await get('wal_none/pnl-curve')).status).toBe(404);
  expect(sent).toEqual([]);
});

it('returns the curves of every binding of the addresses, and a warning for what is missing', async () => {
  answers['venue_a.info'] = () => Promise.reject(new RequestError('late'));
  const stranger = `0x${'9'.repeat(40)}`;
  const got = await get(`pnl-curve?walletAddress=${ADDRESS}&walletAddress=${stranger}&window=1D`);
  expect(got.status).toBe(200);
  expect(got.body.window).toBe('1D');
  expect(got.body.wallets.map(({ walletId }: { walletId: string }) => walletId)).toEqual([idOf('venue_b')]);
  expect(got.body.warnings).toEqual([
    { code: 'not_found', address: stranger, message: expect.any(String) },
    { code: 'upstream_unavailable', address: ADDRESS.toLowerCase(), message: expect.any(String) },
  ]);
});

it('returns the curves of all wallets without an address', async () => {
  const got = await get('pnl-curve');
  const wallets = got.body.wallets.map(({ walletId }: { walletId: string }) => walletId);
  expect([wallets.sort(), got.body.warnings]).toEqual([Object.values(ids).sort(), []]);
  expect((await get('pnl-curve?walletAddress=0x1')).body.error.message).toContain('walletAddress');
});

it('returns no points to a sandbox key for an account that is not in its data set, without a request', async () => {
  const { token } = await service.key(service.admin, ['read', 'admin'], true);
  for (const provider of ['venue_a', 'venue_b']) {
    const body = { provider, address: ADDRESS, label: 'sandbox' };
    const { id } = (await service.request('POST', '/v1/me/wallets', { token, body })).body;
    const got = await get(`${id}/pnl-curve`, { token });
    expect([got.status, got.body.points]).toEqual([200, []]);
  }
  expect(sent).toEqual([]);
});
