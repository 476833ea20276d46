import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Window } from '#schemas/domain/returns/series';
import { type AccountSeries, seriesKey } from '#schemas/topics/account-series';
import { anAccountValue, NOON_MS } from '../../../testing/records.fixture.ts';
import { openTestService, type TestService } from '../../../testing/test-service.fixture.ts';
import { addAttempt } from '../../../views/series-attempts.ts';
import { postWallets } from '../me/wallets/post-wallets.ts';
import { getPortfolioNav } from './get-nav.ts';
import { getPerformance } from './get-performance.ts';
import { getPortfolioPnl } from './get-pnl.ts';
import { getPortfolio } from './get-portfolio.ts';
import { postHeadsBatch } from './performance/heads/post-batch.ts';

const ADDRESS = `0x${'aB'.repeat(20)}`;
const USER = ADDRESS.toLowerCase();
const OTHER = `0x${'cd'.repeat(20)}`;
const MINUTE = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();

let service: TestService;
const sent: unknown[] = [];
let isLive = true;
beforeAll(async () => {
  const send = async (_: string, kind: { name: string }) => {
    sent.push(kind.name);
    throw new Error('no request may be sent');
  };
  const cacheOnly = [getPortfolio, getPerformance, postHeadsBatch, getPortfolioNav, getPortfolioPnl];
  service = await openTestService({ requests: { send }, routes: [...cacheOnly, postWallets] });
  (service.views.events as { now: number | null }).now = NOON_MS;
  Object.assign(service.views.freshness, { isLive: () => isLive });
  const body = { provider: 'venue_a', address: ADDRESS, label: 'x' };
  await service.request('POST', '/v1/me/wallets', { body });
});
afterAll(() => service.close());
beforeEach(() => service.views.accountSeries.clear());

/** Times are seconds before noon. */
function put(
  venue: 'venue_a' | 'venue_b',
  window: Window,
  agoMs: number | null,
  ...points: readonly (readonly [agoSeconds: number, nav: string | null, pnl: string])[]
): void {
  const record: AccountSeries = {
    account: `${venue}:${USER}`,
    window,
    source: venue === 'venue_a' ? 'venue_a_portfolio' : 'venue_b_user_pnl',
    observedAt: agoMs === null ? null : NOON_MS - agoMs,
    points: points.map(([ago, nav, pnl]) => ({ ts: NOON_MS - ago * 1000 + 63, nav, pnl })),
  };
  service.views.accountSeries.set(seriesKey(record), record);
}
const at = (agoSeconds: number) => NOON_MS / 1000 - agoSeconds;
const get = (query: string, options = {}) => service.request('GET', `/v1/portfolio/performance?${query}`, options);
const batch = (body: object, options = {}) =>
  service.request('POST', '/v1/portfolio/performance/heads/batch', { body, ...options });

it('returns series that end together, and their sum', async () => {
  put('venue_a', '1D', MINUTE, [300, '100', '0'], [200, '110.5', '10.5'], [100, '95', '-5']);
  put('venue_b', '1D', 20 * MINUTE, [250, null, '0'], [150, null, '2.25']);
  const got = await get(`user=${ADDRESS}&windows=1D`);
  expect([got.status, got.headers['x-quota-sku']]).toEqual([200, 'portfolio.read']);
  const { windows, epoch, ...rest } = got.body;
  expect(rest).toEqual({
    schemaVersion: 1,
    user: USER,
    providers: ['venue_a', 'venue_b'],
    dataThrough: iso(NOON_MS - 150_000),
    warnings: [],
    asOf: iso(NOON_MS),
  });
  expect(epoch).toMatch(/^[\w-]{22}$/);
  const { series, ...window } = windows['1D'];
  expect(Object.keys(windows)).toEqual(['1D']);
  expect(window).toEqual({
    status: 'ready',
    quality: 'authoritative',
    merged: [
      { t: at(250), navUsdc: null, netDepositsUsdc: null, pnl: 0 },
      { t: at(200), navUsdc: null, netDepositsUsdc: null, pnl: 10.5 },
      { t: at(150), navUsdc: null, netDepositsUsdc: null, pnl: 12.75 },
    ],
  });
  expect(series[0]).toEqual({
    provider: 'venue_a',
    address: USER,
    source: 'performance_projection',
    points: [
      { t: at(300), navUsdc: 100, netDepositsUsdc: 100, pnl: 0 },
      { t: at(200), navUsdc: 110.5, netDepositsUsdc: 100, pnl: 10.5 },
    ],
    availability: {
      dataStatus: 'fresh',
      reason: null,
      observedAt: iso(NOON_MS - MINUTE),
      lastSuccessAt: iso(NOON_MS - MINUTE),
      refreshAttemptedAt: iso(NOON_MS - MINUTE),
      nextRetryAt: null,
      nextRefreshAt: iso(NOON_MS + 59 * MINUTE),
      source: 'venue_a_portfolio',
    },
  });
  // The organization did not bind the account of venue_b.
  expect(series[1].availability).toMatchObject({
    dataStatus: 'cached_fresh',
    refreshAttemptedAt: null,
    nextRefreshAt: null,
  });
  expect(sent).toEqual([]);
});

it('states the newest request, and when the next one is sent after it failed, of accounts that are bound', async () => {
  put('venue_a', '1D', 20 * MINUTE, [200, '1', '0']);
  put('venue_b', '1D', 20 * MINUTE, [250, null, '0']);
  const attempt = (ago: number, next: number) => {
    const times = { attemptedAt: NOON_MS - ago, nextAttemptAt: NOON_MS + next, receivedAt: NOON_MS };
    for (const venue of ['venue_a', 'venue_b'])
      addAttempt(service.views.seriesAttempts, { account: `${venue}:${USER}`, windows: ['1D'], ...times });
  };
  const availability = async () =>
    (await get(`user=${USER}&windows=1D`)).body.windows['1D'].series.map(
      ({ availability }: { availability: Record<string, unknown> }) => [
        availability.lastSuccessAt,
        availability.refreshAttemptedAt,
        availability.nextRetryAt,
        availability.nextRefreshAt,
      ],
    );
  const succeededAt = iso(NOON_MS - 20 * MINUTE);
  attempt(MINUTE, 4 * MINUTE);
  const retryAt = iso(NOON_MS + 4 * MINUTE);
  expect(await availability()).toEqual([
    [succeededAt, iso(NOON_MS - MINUTE), retryAt, retryAt],
    [succeededAt, null, null, null],
  ]);
  // The response arrived after the request was sent.
  attempt(20 * MINUTE + 1, -10 * MINUTE);
  expect((await availability())[0]).toEqual([succeededAt, succeededAt, null, iso(NOON_MS + 40 * MINUTE)]);
  service.views.seriesAttempts.clear();
});

it('is unavailable, with a warning, where a series is missing or too old; a new observation changes the epoch', async () => {
  put('venue_a', 'ALL', 70 * MINUTE + 1, [200, '1', '0']);
  put('venue_b', 'ALL', null);
  const stale = (await get(`user=${USER}`)).body;
  expect(Object.keys(stale.windows)).toEqual(['1D', '1W', '1M', 'ALL']);
  expect([stale.epoch, stale.dataThrough, stale.warnings.length]).toEqual([null, null, 8]);
  expect(stale.windows.ALL).toMatchObject({ status: 'unavailable', quality: 'degraded', merged: null });
  const reasons = (window: string) =>
    stale.windows[window].series.map((one: { points: []; availability: { reason: string } }) => [
      one.points.length,
      one.availability.reason,
    ]);
  expect([reasons('ALL'), reasons('1D')]).toEqual([
    [
      [0, 'too_old'],
      [0, 'not_observed'],
    ],
    [
      [0, 'not_followed'],
      [0, 'not_followed'],
    ],
  ]);
  const epochs = new Set();
  for (const ago of [3, 2, 2]) {
    put('venue_a', 'ALL', ago * MINUTE, [200, '1', '0']);
    epochs.add((await get(`user=${USER}&provider=venue_a`)).body.epoch);
  }
  expect(epochs.size).toBe(2);
});

it('does not limit the age of what a recording holds', async () => {
  put('venue_a', 'ALL', 1_000 * MINUTE, [200, '1', '0']);
  isLive = false;
  const { windows } = (await get(`user=${USER}&provider=venue_a&windows=ALL`)).body;
  isLive = true;
  expect(windows.ALL).toMatchObject({ status: 'ready', series: [{ availability: { dataStatus: 'cached_fresh' } }] });
});

it('takes the address of each venue, and requires one for every requested venue', async () => {
  put('venue_b', '1D', MINUTE, [10, null, '0']);
  const got = await get(`venueBUser=${ADDRESS}&provider=venue_b&windows=1D`);
  expect([got.body.user, got.body.providers, got.body.windows['1D'].series[0].address]).toEqual([
    null,
    ['venue_b'],
    USER,
  ]);
  const both = (await get(`user=${OTHER}&venueBUser=${ADDRESS}&windows=1D`)).body.windows['1D'].series;
  expect(both.map(({ address }: { address: string }) => address)).toEqual([OTHER, USER]);
});

it.each([
  ['', 'validation_failed', 'user'],
  [`venueAUser=${ADDRESS}`, 'validation_failed', 'user'],
  ['user=0x1', 'validation_failed', 'user'],
  [`user=${ADDRESS}&venueBUser=x`, 'validation_failed', 'venueBUser'],
  [`user=${ADDRESS}&provider=venue_a,venue_x,y`, 'unknown_provider', '"venue_x", "y"'],
  [`user=${ADDRESS}&provider=venue_a_dex`, 'unknown_provider', 'venue_a_dex'],
  [`user=${ADDRESS}&windows=1D,1Y`, 'validation_failed', 'windows'],
])('refuses %j with 400 %s, and names what is wrong', async (query, code, named) => {
  const got = await get(query);
  expect([got.status, got.body.error.code]).toEqual([400, code]);
  expect(got.body.error.message).toContain(named);
});

it('a batch has the newest figures of each user in the order of the request', async () => {
  put('venue_a', '1D', MINUTE, [300, '100', '0'], [200, '110.5', '10.5']);
  put('venue_b', '1D', MINUTE);
  put('venue_a', '1W', MINUTE, [300, '100', '0']);
  const got = await batch({ users: [OTHER, ADDRESS], windows: ['1D', '1W'] });
  const missing = { status: 'unavailable', dataThrough: null, navUsdc: null, netDepositsUsdc: null, pnl: null };
  expect(got.body).toEqual({
    heads: [
      { user: OTHER, windows: { '1D': missing, '1W': missing } },
      {
        user: USER,
        windows: {
          // An account that the venue does not know adds nothing.
          '1D': {
            status: 'ready',
            dataThrough: iso(NOON_MS - 200_000),
            navUsdc: 110.5,
            netDepositsUsdc: 100,
            pnl: 10.5,
          },
          '1W': missing,
        },
      },
    ],
    fetchedAt: iso(NOON_MS),
  });
  expect(Object.keys((await batch({ users: [ADDRESS] })).body.heads[0].windows)).toEqual(['1D', '1W', '1M', 'ALL']);
});

it.each([
  [{ users: [] }, 'users'],
  [{}, 'users'],
  [{ users: [ADDRESS, USER] }, 'users'],
  [{ users: ['0x1'] }, 'users'],
  [{ users: Array.from({ length: 51 }, (_, n) => `0x${n.toString(16).padStart(40, '0')}`) }, 'users'],
  [{ users: [ADDRESS], windows: ['1Y'] }, 'windows'],
  [{ users: [ADDRESS], windows: ['1D', '1D'] }, 'windows'],
])('refuses the batch %j', async (body, named) => {
  const got = await batch(body);
  expect([got.status, got.body.error.code]).toEqual([400, 'validation_failed']);
  expect(got.body.error.message).toContain(named);
});

const DEPRECATION = { deprecation: '@1767225600', link: '</v1/portfolio/performance>; rel="successor-version"' };

it('the deprecated values are those of the performance, with the headers of a deprecated route', async () => {
  put('venue_a', '1W', MINUTE, [300, '100', '0'], [200, '110.5', '10.5']);
  const got = await service.request('GET', `/v1/portfolio/nav?user=${ADDRESS}&window=1W`);
  expect([got.status, got.headers]).toEqual([200, expect.objectContaining(DEPRECATION)]);
  const { series, ...rest } = got.body;
  expect(rest).toMatchObject({ window: '1W', providers: ['venue_a', 'venue_b'], asOf: iso(NOON_MS) });
  expect(rest.warnings).toHaveLength(1);
  expect(series[0]).toMatchObject({
    source: 'performance_projection',
    quality: 'authoritative',
    points: [
      { t: at(300), navUsdc: 100, netDepositsUsdc: 100 },
      { t: at(200), navUsdc: 110.5, netDepositsUsdc: 100 },
    ],
    availability: { dataStatus: 'fresh' },
  });
  expect(series[1]).toMatchObject({ quality: 'degraded', points: [], availability: { reason: 'not_followed' } });
  const all = await service.request('GET', `/v1/portfolio/nav?user=${ADDRESS}`);
  expect(all.body.window).toBe('ALL');
});

it('the deprecated profits are those of the performance, of one window or of several', async () => {
  put('venue_a', '1D', MINUTE, [300, '100', '0'], [200, '110.5', '10.5']);
  put('venue_b', '1D', MINUTE, [300, null, '0'], [200, null, '1']);
  put('venue_a', '1W', MINUTE, [200, '110.5', '0']);
  const canonical = (await get(`user=${ADDRESS}&windows=1D`)).body.windows['1D'];
  const one = await service.request('GET', `/v1/portfolio/pnl?user=${ADDRESS}&window=1D`);
  expect(one.headers).toMatchObject(DEPRECATION);
  const entry = { address: USER, source: 'performance_projection' };
  const [a, b] = [
    [
      { t: at(300), pnl: 0 },
      { t: at(200), pnl: 10.5 },
    ],
    [
      { t: at(300), pnl: 0 },
      { t: at(200), pnl: 1 },
    ],
  ];
  expect(one.body).toEqual({
    window: '1D',
    providers: ['venue_a', 'venue_b'],
    series: [
      { ...entry, provider: 'venue_a', bound: true, points: a },
      { ...entry, provider: 'venue_b', bound: false, points: b },
    ],
    merged: [
      { t: at(300), pnl: 0 },
      { t: at(200), pnl: 11.5 },
    ],
    canonical,
    warnings: [],
    asOf: iso(NOON_MS),
  });
  const several = (await service.request('GET', `/v1/portfolio/pnl?user=${ADDRESS}&window=ALL&windows=1W,1D`)).body;
  expect([several.window, several.windows, several.merged]).toEqual([undefined, ['1D', '1W'], null]);
  expect(several.series[0].byWindow['1D']).toEqual({ source: 'performance_projection', status: 'ready', points: a });
  expect(several.series[1].byWindow['1W']).toMatchObject({ status: 'unavailable', points: [] });
  expect(several.mergedByWindow).toEqual({ '1D': one.body.merged, '1W': null });
  expect(several.canonicalByWindow['1D']).toEqual(canonical);
});

it.each(['nav', 'pnl'])('%s accepts a single provider', async (view) => {
  const read = (provider: string) =>
    service.request('GET', `/v1/portfolio/${view}?user=${ADDRESS}&provider=${provider}`);
  expect((await read('venue_b')).body.providers).toEqual(['venue_b']);
  expect((await read('venue_a,venue_b')).body.error).toMatchObject({ code: 'validation_failed' });
  expect((await read('venue_x')).body.error).toMatchObject({ code: 'unknown_provider' });
});

it('the portfolio has the newest checkpoint, or null for an account without one', async () => {
  const cold = await service.request('GET', `/v1/portfolio?user=${ADDRESS}`);
  expect([cold.status, cold.headers['x-quota-sku']]).toEqual([200, 'portfolio.read']);
  const providers = ['venue_a', 'venue_b'];
  expect(cold.body).toEqual({
    schemaVersion: 1,
    user: USER,
    providers,
    balanceHead: null,
    fetchedAt: iso(NOON_MS),
  });
  for (const provider of providers) {
    const account = `${provider}:${USER}`;
    service.views.accountValues.set(account, anAccountValue({ account }));
  }
  const { balanceHead } = (await service.request('GET', `/v1/portfolio?user=${ADDRESS}`)).body;
  expect(balanceHead.summary.totalNavUsd).toBe(2489.5);
  service.views.accountValues.clear();
});

it('routes that read only what the service has send no request, not even to ingest', () => {
  // All tests above read them with a client of ingest that records each use.
  expect(sent).toEqual([]);
});
