import { beforeEach, describe, expect, it } from 'vitest';
import { LogError } from '#infra/log/log';
import { RequestError } from '#infra/requests/request-error';
import type { InfoRequest } from '#schemas/requests/venue-a-info';
import { anInstrument, aPerpDex } from '../../../../testing/records.fixture.ts';
import { requestsAnsweredBy } from '../../../../testing/requests.fixture.ts';
import { createTestApp, type TestApp } from '../../../../testing/test-app.fixture.ts';

const USER = `0x${'aB'.repeat(20)}`;
const LOWER = USER.toLowerCase();
let test: TestApp;
let reads: { orgId: string; request: InfoRequest }[];
let respond: (request: InfoRequest) => unknown;
let fetchedAt: number;
beforeEach(async () => {
  reads = [];
  fetchedAt = Date.now();
  respond = ({ type }) => (type === 'perpDexs' ? [null, { name: 'xyz' }] : { of: type });
  const requests = requestsAnsweredBy((_kind, request: InfoRequest, orgId) => {
    reads.push({ orgId, request });
    return { native: respond(request), fetchedAt, source: 'official' };
  });
  test = await createTestApp({ app: { requests } });
});
const get = async (path: string, headers = {}) => {
  const { status, headers: sent, body } = await test.get(`/v1/venue_a/info/${path}`, headers);
  return { status, headers: sent, body: JSON.parse(body) };
};

describe.each([
  ['clearinghouse-state', 'clearinghouseState', 'user', 2_000],
  ['spot-clearinghouse-state', 'spotClearinghouseState', 'user', 2_000],
  ['open-orders', 'frontendOpenOrders', 'user', 2_000],
  ['historical-orders', 'historicalOrders', 'user', 10_000],
  ['meta', 'meta', null, 60_000],
  ['spotMeta', 'spotMeta', null, 60_000],
  ['perp-dexs', 'perpDexs', null, 60_000],
] as const)('GET /v1/venue_a/info/%s', (name, type, parameter, lifetimeMs) => {
  const query = parameter ? `?user=${USER}` : '';
  const request = parameter ? { type, user: LOWER } : { type };

  it('returns the response of the venue with its time and source, in the turn of the caller', async () => {
    const got = await get(name + query);
    expect([got.status, got.headers['x-quota-sku']]).toEqual([200, 'api.request']);
    expect(got.body).toEqual({
      native: respond(request),
      meta: { provider: 'venue_a', fetchedAt: new Date(fetchedAt).toISOString(), source: 'official' },
    });
    expect(reads).toEqual([{ orgId: 'org_test', request }]);
  });

  it('is cached from the time at which the venue answered', async () => {
    fetchedAt = Date.now() - lifetimeMs + 1_000;
    await get(name + query);
    await get(name + query);
    expect(reads).toHaveLength(1);
    test.advance(1_000);
    await get(name + query);
    expect(reads).toHaveLength(2);
  });
});

describe('parameters', () => {
  it.each(['', '?user=', '?user=0x1', `?user=${USER}0`, `?user=0x${'g'.repeat(40)}`])(
    'refuse the user %j',
    async (query) => {
      const got = await get(`user-fills${query}`);
      expect([got.status, got.body.error.code]).toEqual([400, 'validation_failed']);
      expect(got.body.error.message).toMatch(/^user: /);
      expect(reads).toEqual([]);
    },
  );

  it('pass a listed dex on, take an empty one as the main dex, and refuse others', async () => {
    expect((await get(`open-orders?user=${USER}&dex=xyz`)).status).toBe(200);
    expect(reads.at(-1)!.request).toEqual({ type: 'frontendOpenOrders', user: LOWER, dex: 'xyz' });
    await get(`open-orders?user=${USER}&dex=`);
    expect(reads.at(-1)!.request).toEqual({ type: 'frontendOpenOrders', user: LOWER });
    const unknown = await get(`open-orders?user=${USER}&dex=none`);
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'unknown_dex']);
    for (const dex of ['XYZ', 'toolong', 'a-b']) {
      const malformed = await get(`meta?dex=${dex}`);
      expect([malformed.status, malformed.body.error.message.split(':')[0]], dex).toEqual([400, 'dex']);
    }
  });

  it('take a dex from the view if that knows it: also one without contracts, and never one that has ended', async () => {
    const { instruments, perpDexes } = test.views.coins.venue_a;
    perpDexes.set('bare', aPerpDex({ name: 'bare' }));
    perpDexes.set('ended', aPerpDex({ name: 'ended', delisted: true }));
    instruments.set('ended:A', anInstrument({ coin: 'ended:A', dex: 'ended', delisted: true }));
    expect((await get('meta?dex=bare')).status).toBe(200);
    const ended = await get('meta?dex=ended');
    expect([ended.status, ended.body.error.code]).toEqual([404, 'unknown_dex']);
    expect(reads.map(({ request }) => request)).toEqual([{ type: 'meta', dex: 'bare' }]);
  });

  it('refuse a dex where a route accepts none', async () => {
    expect((await get(`historical-orders?user=${USER}&dex=xyz`)).status).toBe(400);
  });
});

describe('GET /v1/venue_a/info/user-fills', () => {
  it('lists fills newest first, each with its liquidation or null, and at most 2,000', async () => {
    const liquidation = { liquidatedUser: LOWER, markPx: '1.0', method: 'market' };
    const fills = [
      { time: 1, tid: 1 },
      { time: 2, tid: 2, liquidation },
      { time: 2, tid: 3 },
    ];
    respond = () => fills;
    expect((await get(`user-fills?user=${USER}`)).body.native).toEqual([
      { time: 2, tid: 2, liquidation },
      { time: 2, tid: 3, liquidation: null },
      { time: 1, tid: 1, liquidation: null },
    ]);
    respond = () => Array.from({ length: 2_001 }, (_, time) => ({ time }));
    const other = `0x${'c'.repeat(40)}`;
    expect((await get(`user-fills?user=${other}`)).body.native).toHaveLength(2_000);
  });

  describe('with a self-hosted node', () => {
    const DAY_MS = 86_400_000;
    const ofNode = { time: 5, coin: 'BTC', tid: 1, builder: '0x1' };
    const ofVenue = [
      { time: 5, coin: 'BTC', tid: 1 },
      { time: 5, coin: 'ETH', tid: 1 },
      { time: 4, coin: 'BTC', tid: 0 },
    ];
    const cover = (since: number, until: number) => {
      test.views.nodeFillCoverage.records = [{ since, until, receivedAt: until }];
      test.setQuery(() => [{ fill: JSON.stringify({ ...ofNode, time: 6, tid: 2 }) }, { fill: JSON.stringify(ofNode) }]);
    };

    it('merges its fills with those of the venue on time, coin and tid', async () => {
      cover(Date.now() - DAY_MS, Date.now());
      respond = () => ofVenue;
      const { body } = await get(`user-fills?user=${USER}`);
      expect(body.native).toEqual([
        { ...ofNode, time: 6, tid: 2, liquidation: null },
        { ...ofNode, liquidation: null },
        { ...ofVenue[1], liquidation: null },
        { ...ofVenue[2], liquidation: null },
      ]);
      expect([body.meta.source, body.meta.fetchedAt]).toEqual(['official', new Date(fetchedAt).toISOString()]);
    });

    it('does not ask the venue if they are complete', async () => {
      // A block of the future is new enough, however slowly the test runs.
      cover(Date.now() - 15 * DAY_MS, Date.now() + DAY_MS);
      const { body } = await get(`user-fills?user=${USER}`);
      expect(body.native).toEqual([
        { ...ofNode, time: 6, tid: 2, liquidation: null },
        { ...ofNode, liquidation: null },
      ]);
      expect([body.meta.source, reads]).toEqual(['node', []]);
    });

    it('fails if they are not complete and the venue fails', async () => {
      cover(Date.now() - 15 * DAY_MS, Date.now() - 60_000);
      respond = () => {
        throw new RequestError('upstream_failed', { upstreamStatus: 500 });
      };
      expect((await get(`user-fills?user=${USER}`)).status).toBe(502);
    });
  });

  it.each([null, {}, [null], [3]])('fails if the venue returns %j, which is no list of fills', async (answer) => {
    respond = () => answer;
    const got = await get(`user-fills?user=${USER}`);
    expect([got.status, got.body.error.code]).toEqual([502, 'upstream_unavailable']);
  });
});

describe('a failed read', () => {
  const status = { upstreamStatus: 503, upstreamBody: '{"a":1}' };
  it.each([
    ['late', {}, 502, { status: null, body: null }, undefined],
    ['unavailable', {}, 502, { status: null, body: null }, undefined],
    ['upstream_failed', status, 502, { status: 503, body: { a: 1 } }, undefined],
    ['upstream_failed', { upstreamStatus: 500, upstreamBody: 'down' }, 502, { status: 500, body: 'down' }, undefined],
    ['busy', {}, 429, { status: null, body: null }, '5'],
    ['expired', {}, 429, { status: null, body: null }, '5'],
    [
      'rate_limited',
      { upstreamStatus: 429, upstreamBody: '', retryAfterMs: 6_100 },
      429,
      { status: 429, body: '' },
      '7',
    ],
  ] as const)('because of %s %j is answered with %i', async (code, details, expected, upstream, retryAfter) => {
    respond = () => {
      throw new RequestError(code, details);
    };
    const before = Number((await test.get('/v1/me/usage')).headers['x-quota-remaining']);
    const got = await get('spotMeta');
    expect(got.status).toBe(expected);
    expect(got.body.error).toMatchObject({
      code: expected === 429 ? 'upstream_rate_limited' : 'upstream_unavailable',
      provider: 'venue_a',
      upstream,
    });
    expect(got.headers['retry-after']).toBe(retryAfter);
    expect(Number(got.headers['x-quota-remaining'])).toBe(before);
  });

  it('because the log is full is answered with 502', async () => {
    respond = () => {
      throw new LogError('log_full', 'no room');
    };
    expect((await get('spotMeta')).status).toBe(502);
  });
});
