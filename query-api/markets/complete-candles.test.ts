/** Which buckets a read of candles requests from the venue, and what it serves then. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RequestError } from '#infra/requests/request-error';
import { INTERVALS, type Interval } from '#schemas/domain/candles/sources';
import { aCandle, aCandleRange } from '#schemas/testing/records.fixture';
import { instrumentTopics } from '#schemas/topics/normalised';
import { readSnapshot, readSnapshotRequest } from '#schemas/venues/venue-a/candle-snapshot';
import { CandleStore } from '../testing/candle-store.fixture.ts';
import { anInstrument, applyRecord, createViews, emptySandbox, NOON_MS } from '../testing/records.fixture.ts';
import { requestsAnsweredBy } from '../testing/requests.fixture.ts';
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts';
import { VIEWS } from '../views/views.ts';

const PATH = '/v1/markets/venue_a/coins/BTC/candles';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** 20 s into the minute 12:00. */
const NOW = NOON_MS + 20_000;

interface SnapshotParams {
  readonly req: {
    readonly coin: string;
    readonly interval: Interval;
    readonly startTime: number;
    readonly endTime: number;
  };
}

let test: TestApp;
let store: CandleStore;
/** Requested spans: `<first minute> <last minute>`, relative to noon. */
let sent: string[];
let responses: { readonly params: SnapshotParams; readonly native: unknown }[];
let failure: Error | null;
/** Changes the venue's bars. */
let respond: (bars: object[]) => unknown;
let live: boolean;
let respondedAt: number;
let now: number;
/** False before the first clock mark of a new data directory. */
let isClockKnown: boolean;
/** The position of the tables. */
let tablesAt: number;
const sandboxViews = createViews();
const sandbox = { data: async () => ({ ...(await emptySandbox().data()), views: sandboxViews }) };

beforeAll(async () => {
  const requests = requestsAnsweredBy((kind, params: SnapshotParams) => {
    const { startTime, endTime, interval } = params.req;
    const step = INTERVALS[interval];
    const until = (Math.floor(endTime / step) + 1) * step;
    sent.push(`${kind} ${(startTime - NOON_MS) / step} ${(until - NOON_MS) / step}`);
    if (failure) throw failure;
    const native = respond(venueBars(params));
    responses.push({ params, native });
    return { native, fetchedAt: respondedAt, source: 'official' };
  });
  const reader = { query: (...query: Parameters<CandleStore['query']>) => store.query(...query) };
  test = await createTestApp({ app: { requests, sandbox, store: reader as never } });
  const fixed = test.views.freshness;
  Object.assign(test.views, {
    freshness: {
      ...fixed,
      now: () => (isClockKnown ? now : null),
      isLive: () => isClockKnown && live,
      asOf: () => NOW - 800,
      tablesAsOf: async () => tablesAt,
    },
  });
  for (const views of [test.views, sandboxViews])
    applyRecord(VIEWS.coins, views.coins, instrumentTopics.venue_a, 'BTC', anInstrument());
});
afterAll(() => test.app.close());
beforeEach(() => {
  [store, sent, responses, failure, live] = [new CandleStore(), [], [], null, true];
  tablesAt = NOW - 1_000;
  isClockKnown = true;
  [now, respondedAt] = [NOW, NOW - 5_000];
  respond = (bars) => bars;
  test.advance(30_001);
});

/** The venue's bars up to the one in progress, as it returns them: each opens with the number of its bucket. */
function venueBars({ req: { coin, interval, startTime, endTime } }: SnapshotParams): object[] {
  const step = INTERVALS[interval];
  const first = Math.max(Math.floor(startTime / step) * step, Math.floor(now / step) * step - 4_999 * step);
  const bars: object[] = [];
  for (let t = first; t <= Math.min(endTime, now); t += step) {
    const px = String(10_000 + (t - NOON_MS) / step);
    bars.push({ t, T: t + step - 1, s: coin, i: interval, o: px, c: px, h: px, l: px, v: '2', n: 1 });
  }
  return bars;
}

/** Stores the responses, as the normaliser and the sink do. */
function storeResponses(): void {
  for (const { params, native } of responses) {
    const { bars, range } = readSnapshot(
      { provider: 'venue_a_perp', isListed: true },
      readSnapshotRequest(params as never)!,
      native,
      respondedAt,
    );
    store.addBars(bars);
    if (range) store.addRanges([range]);
  }
}

/** Our bars of some minutes from noon on, complete from the first one or where a test says so. */
function record(minutes: readonly number[], from = NOON_MS + minutes[0]! * MINUTE): void {
  store.addBars(minutes.map((minute) => aCandle({ openTime: NOON_MS + minute * MINUTE, open: String(minute + 500) })));
  store.addRanges([aCandleRange({ from })]);
}

type Served = { ts: number; open: number; source: string | null };
async function served(query: string): Promise<string[]> {
  const response = await test.get(`${PATH}?${query}`);
  expect(response.status, response.body).toBe(200);
  const { candles } = response.json() as { candles: Served[] };
  const { interval = '1m' } = Object.fromEntries(new URLSearchParams(query));
  const step = INTERVALS[interval as Interval];
  return candles.map(({ ts, open, source }) => `${(ts - NOON_MS) / step} ${open} ${source}`);
}

const fetchedAt = async (query: string) => (await test.get(`${PATH}?${query}`)).headers['x-fetched-at'];

describe('a read of candles', () => {
  it('requests nothing if every bucket has a source, and none that is not in the window', async () => {
    record([-3, -2, -1, 0]);
    expect(await served('interval=1m&limit=4')).toEqual([-3, -2, -1, 0].map((at) => `${at} ${at + 500} venue_node`));
    expect(sent).toEqual([]);
  });

  it('requests the buckets that are complete in no source, and serves them from the response', async () => {
    record([-2, -1, 0]);
    expect(await served('interval=1m&limit=5')).toEqual([
      '-4 9996 official_api',
      '-3 9997 official_api',
      '-2 498 venue_node',
      '-1 499 venue_node',
      '0 500 venue_node',
    ]);
    expect(sent).toEqual(['venue_a.info -4 -2']);
  });

  it('counts nothing as recorded since the tables stopped 30 s ago, and requests it', async () => {
    record([-4, -3, -2, -1, 0]);
    tablesAt = NOW - 30_000;
    expect((await served('interval=1m&limit=3')).map((text) => text.split(' ')[2])).toEqual(
      Array(3).fill('venue_node'),
    );
    expect(sent).toEqual([]);
    test.advance(30_001);
    tablesAt = NOON_MS - 2.5 * MINUTE;
    expect(await served('interval=1m&limit=4')).toEqual([
      '-3 9997 official_api',
      '-2 9998 official_api',
      '-1 9999 official_api',
      '0 10000 official_api',
    ]);
    expect(sent).toEqual(['venue_a.info -3 1']);
    test.advance(30_001);
    failure = new RequestError('upstream_failed', { upstreamStatus: 503, upstreamBody: 'x' });
    expect((await test.get(`${PATH}?interval=1m&limit=4`)).status).toBe(502);
  });

  it('does not request again what was stored', async () => {
    const first = await served('interval=1m&limit=5&end_time=1772366400000');
    expect(sent).toEqual(['venue_a.info -5 0']);
    storeResponses();
    expect(await served('interval=1m&limit=5&end_time=1772366400001')).toEqual(first);
    expect(await served('interval=1m&limit=7&end_time=1772366400000')).toHaveLength(7);
    expect(sent.slice(1)).toEqual(['venue_a.info -7 -5']);
  });

  it('requests each missing part by itself, up to four', async () => {
    record([-9, -8, -7, -6, -5, -4, -3, -2, -1, 0]);
    const gap = (minute: number, length = 1) =>
      aCandleRange({
        id: `gap ${minute}`,
        kind: 'gap',
        from: NOON_MS + minute * MINUTE,
        until: NOON_MS + (minute + length) * MINUTE - 1,
      });
    store.addRanges([gap(-8), gap(-5, 2)]);
    expect((await served('interval=1m&limit=9')).map((text) => text.split(' ')[2])).toEqual(
      ['official_api', 'venue_node', 'venue_node', 'official_api', 'official_api'].concat(Array(4).fill('venue_node')),
    );
    expect(sent).toEqual(['venue_a.info -8 -7', 'venue_a.info -5 -3']);
    [store, sent] = [new CandleStore(), []];
    test.advance(30_001);
    record(Array.from({ length: 21 }, (_, nth) => nth - 20));
    store.addRanges([-20, -16, -13, -10, -8].map((minute) => gap(minute)));
    await served('interval=1m&limit=21');
    expect(sent).toEqual([
      'venue_a.info -20 -19',
      'venue_a.info -16 -15',
      'venue_a.info -13 -12',
      'venue_a.info -10 -7',
    ]);
  });

  it('requests the rest of the window if the nearest buckets have too few candles, and only what the venue stores', async () => {
    respond = (bars) => bars.filter((_, at) => at % 10 === 0);
    expect(await served('interval=1m&limit=20')).toHaveLength(20);
    expect(sent).toEqual(['venue_a.info -19 1', 'venue_a.info -4999 -19']);
    sent = [];
    respond = (bars) => bars;
    await served('interval=1d&limit=3&start_time=2000-01-01T00:00:00Z');
    expect(sent).toEqual(['venue_a.info -4999.5 -4996.5']);
  });

  it('requests from a start on, and nothing after the current time', async () => {
    const start = NOON_MS - 10 * MINUTE;
    expect(await served(`interval=1m&limit=2&start_time=${start}`)).toEqual([
      '-10 9990 official_api',
      '-9 9991 official_api',
    ]);
    expect(await served(`interval=1m&limit=50&start_time=${start}`)).toHaveLength(11);
    expect(sent).toEqual(['venue_a.info -10 -8', 'venue_a.info -10 1']);
    sent = [];
    expect(await served(`interval=1m&start_time=${NOW + MINUTE}`)).toEqual([]);
    expect(await served('interval=1m&end_time=2000-01-01T00:00:00Z')).toEqual([]);
    expect(sent).toEqual([]);
  });

  it("uses the venue's bar in progress, and counts its lifetime from the response", async () => {
    record([-1, 0], NOON_MS - MINUTE);
    store.addRanges([aCandleRange({ id: 'gap 1', kind: 'gap', from: NOON_MS, until: null })]);
    expect(await served('interval=1m&limit=2')).toEqual(['-1 499 venue_node', '0 10000 official_api']);
    expect(sent).toEqual(['venue_a.info 0 1']);
    // It was received long before the current time of the machine, so no response with it is cached.
    await served('interval=1m&limit=2');
    await served('interval=1m&limit=1&end_time=1772366400000');
    await served('interval=1m&limit=1&end_time=1772366400000');
    expect([sent.length, store.queried.filter((name) => name === 'candles').length]).toEqual([2, 5]);
  });

  it('requests a bar again that was in progress at the request, even if the response arrived after its close', async () => {
    respondedAt = NOW + MINUTE;
    expect(await served('interval=1m&limit=2')).toEqual(['-1 9999 official_api', '0 10000 official_api']);
    storeResponses();
    [sent, now] = [[], NOW + MINUTE];
    test.advance(30_001);
    expect(await served('interval=1m&limit=2')).toEqual(['0 10000 official_api', '1 10001 official_api']);
    expect(sent).toEqual(['venue_a.info 0 2']);
  });

  it('requests bars of the interval', async () => {
    expect(await served('interval=1h&limit=2')).toEqual(['-1 9999 official_api', '0 10000 official_api']);
    expect(sent).toEqual(['venue_a.info -1 1']);
  });

  it('is not an error where the venue has nothing either', async () => {
    record([0], NOON_MS + 1);
    for (const nothing of [[], null]) {
      respond = () => nothing;
      expect(await served('interval=1m&limit=2')).toEqual(['0 500 null']);
      test.advance(30_001);
    }
  });

  it('fails as the venue does, unless only the bucket in progress is missing', async () => {
    failure = new RequestError('upstream_failed', { upstreamStatus: 503, upstreamBody: 'x' });
    record([-1, 0], NOON_MS + 1);
    const failed = await test.get(`${PATH}?interval=1m&limit=2`);
    expect([failed.status, failed.json()]).toEqual([
      502,
      { error: expect.objectContaining({ provider: 'venue_a', upstream: { status: 503, body: 'x' } }) },
    ]);
    failure = new RequestError('rate_limited', { retryAfterMs: 7_000 });
    expect((await test.get(`${PATH}?interval=1m&limit=2`)).status).toBe(429);
    store.addRanges([aCandleRange({ source: 'official_api', id: 'response', from: 0, until: NOON_MS })]);
    store.addBars([aCandle({ source: 'official_api', openTime: NOON_MS - MINUTE, open: '7' })]);
    expect(await served('interval=1m&limit=2')).toEqual(['-1 7 official_api', '0 500 null']);
  });

  it('waits for room once: after a request without room it sends no other', async () => {
    failure = new RequestError('rate_limited', { retryAfterMs: 7_000 });
    expect((await test.get(`${PATH}?interval=1m&limit=1`)).status).toBe(429);
    expect(sent).toEqual(['venue_a.info 0 1']);
    [sent, failure] = [[], new RequestError('upstream_failed')];
    expect((await test.get(`${PATH}?interval=1m&limit=1`)).status).toBe(502);
    expect(sent).toHaveLength(2);
  });

  describe('of a gap that bars of the exchange fill', () => {
    const minuteOf = (at: number) => ({ source: 'external_exchange', openTime: NOON_MS + at * MINUTE });
    beforeEach(() => {
      record([-5, -4, -3, -2, -1, 0]);
      store.addRanges([
        aCandleRange({ id: 'gap 1', kind: 'gap', from: NOON_MS - 3 * MINUTE, until: NOON_MS - MINUTE - 1 }),
        aCandleRange({ source: 'external_exchange', id: 'klines', from: NOON_MS - HOUR, until: NOON_MS }),
      ]);
      store.addBars([-8, -7, -6, -3].map((at) => aCandle({ ...minuteOf(at), open: String(at + 900) })));
    });
    const recorded = (at: number) => `${at} ${at + 500} venue_node`;

    it('requests its buckets from the venue, and none that was not recorded and that the exchange has', async () => {
      expect(await served('interval=1m&limit=9')).toEqual([
        ...[-8, -7, -6].map((at) => `${at} ${at + 900} external_exchange`),
        ...[-5, -4].map(recorded),
        ...[-3, -2].map((at) => `${at} ${at + 10_000} official_api`),
        ...[-1, 0].map(recorded),
      ]);
      expect(sent).toEqual(['venue_a.info -3 -1']);
      storeResponses();
      [sent, responses] = [[], []];
      test.advance(30_001);
      expect((await served('interval=1m&limit=4'))[0]).toBe('-3 9997 official_api');
      expect(sent).toEqual([]);
    });

    it('serves the bars of the exchange if that request fails', async () => {
      failure = new RequestError('rate_limited', { retryAfterMs: 7_000 });
      expect(await served('interval=1m&limit=4')).toEqual([
        '-4 496 venue_node',
        '-3 897 external_exchange',
        ...[-1, 0].map(recorded),
      ]);
      expect(sent).toEqual(['venue_a.info -3 -1']);
    });
  });

  it('fails if the response has no bars', async () => {
    respond = () => [{ t: 1 }];
    const { status, json } = await test.get(`${PATH}?interval=1m`);
    expect([status, json()]).toMatchObject([
      502,
      { error: { code: 'upstream_unavailable', upstream: { status: 200 } } },
    ]);
  });

  it('states the position of the tables if the newest candle is recorded, which a cached response keeps', async () => {
    record([-3, -2, -1, 0]);
    expect(await fetchedAt('interval=1m&limit=5')).toBe('2026-03-01T12:00:19.000Z');
    tablesAt = NOW;
    expect(await fetchedAt('interval=1m&limit=5')).toBe('2026-03-01T12:00:19.000Z');
    test.advance(30_001);
    expect(await fetchedAt('interval=1m&limit=5')).toBe('2026-03-01T12:00:20.000Z');
    live = false;
    expect(await fetchedAt('interval=5m&limit=1&end_time=1772366400001')).toBe('2026-03-01T12:00:20.000Z');
  });

  it("states when the venue responded if the newest candle is the venue's, also once the response is stored", async () => {
    expect(await fetchedAt('interval=1m&limit=5')).toBe('2026-03-01T12:00:15.000Z');
    storeResponses();
    [responses, sent] = [[], []];
    expect(await fetchedAt('interval=1m&limit=3&end_time=1772366400000')).toBe('2026-03-01T12:00:15.000Z');
    expect(sent).toEqual([]);
  });

  it("caches nothing that lacks the venue's bars because nobody knows yet whether data is live", async () => {
    isClockKnown = false;
    const query = 'interval=1m&limit=3';
    expect([await served(query), sent]).toEqual([[], []]);
    isClockKnown = true;
    expect(await served(query)).toHaveLength(3);
  });

  it('requests nothing during playback, and nothing for a sandbox key', async () => {
    const sandboxed = await test.request('GET', PATH, { authorization: `Bearer ${test.cachedToken(['read'], true)}` });
    live = false;
    test.advance(30_001);
    expect([sandboxed.status, await served('interval=1m'), sent]).toEqual([200, [], []]);
  });
});
