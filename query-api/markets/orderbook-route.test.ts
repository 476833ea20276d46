/** Where a book comes from: `families.test.ts` checks what is served of it. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { RequestError } from '#infra/requests/request-error';
import { bookTopics, instrumentTopics } from '#schemas/topics/normalised';
import {
  aBookUpdate,
  anInstrument,
  applyRecord,
  createViews,
  emptySandbox,
  NOON_MS,
} from '../testing/records.fixture.ts';
import { requestsAnsweredBy } from '../testing/requests.fixture.ts';
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts';
import { VIEWS } from '../views/views.ts';

const PATH = '/v1/markets/venue_a/coins/BTC/orderbook';
const FETCHED = {
  coin: 'BTC',
  time: NOON_MS + 5,
  levels: [[{ px: '90.5', sz: '2', n: 1 }], [{ px: '91', sz: '3', n: 1 }]],
};
const SERVED = { coin: 'BTC', bids: [{ price: 90.5, size: 2 }], asks: [{ price: 91, size: 3 }], ts: NOON_MS + 5 };

let test: TestApp;
let sent: unknown[];
/** Books of which ingest was informed that they are read. */
let wanted: unknown[];
/** The venue's answer, or the error of the request. */
let answer: unknown;
let fetchedAt: number;
let live: boolean;
let now: number;
const sandboxViews = createViews();
const sandbox = { data: async () => ({ ...(await emptySandbox().data()), views: sandboxViews }) };

beforeAll(async () => {
  const requests = requestsAnsweredBy((kind, params) => {
    if (kind === 'venue_a.book-wanted') {
      wanted.push(params);
      return {};
    }
    sent.push([kind, params]);
    if (answer instanceof Error) throw answer;
    return { native: answer, fetchedAt, source: 'official' };
  });
  test = await createTestApp({ app: { requests, sandbox } });
  const fixed = test.views.freshness;
  Object.assign(test.views, { freshness: { ...fixed, now: () => now, isLive: () => live } });
  applyRecord(VIEWS.coins, test.views.coins, instrumentTopics.venue_a, 'BTC', anInstrument());
});
afterAll(() => test.app.close());
beforeEach(() => {
  wanted = [];
  [sent, answer, fetchedAt, live, now] = [[], FETCHED, Date.now(), true, NOON_MS];
  test.views.books.venue_a.clear();
  test.advance(2_001);
});

function receive(ageMs: number): void {
  const update = aBookUpdate(1, { receivedAt: now - ageMs });
  applyRecord(VIEWS.books, test.views.books, bookTopics.venue_a, 'BTC', update);
}

it('serves a book that was received less than 2 s ago, without a request', async () => {
  receive(1_999);
  expect((await test.get(PATH)).json()).toMatchObject({ bids: [{ price: 99.5 }], ts: NOON_MS });
  expect(sent).toEqual([]);
});

it('informs ingest of each read of a book, whether it was received or is fetched', async () => {
  receive(1_000);
  await test.get(PATH);
  expect(wanted).toEqual([{ coins: ['BTC'] }]);
  test.advance(2_001);
  receive(2_000);
  await test.get(PATH);
  expect(wanted).toHaveLength(2);
});

it('counts the lifetime of a received book from its receipt', async () => {
  receive(1_500);
  expect((await test.get(PATH)).headers).toMatchObject({ age: '1', 'cache-control': 'private, max-age=2' });
});

it.each([
  ['that was received 2 s ago', () => receive(2_000)],
  ['that was never received', () => {}],
])('fetches a book %s', async (_, arrange) => {
  arrange();
  const response = await test.get(PATH);
  expect([response.status, response.json()]).toEqual([200, SERVED]);
  expect(sent).toEqual([['venue_a.info', { type: 'l2Book', coin: 'BTC' }]]);
});

it('counts the lifetime of a fetched book from its fetch', async () => {
  fetchedAt = Date.now() + 60_000;
  expect((await test.get(PATH)).headers).toMatchObject({ age: '0' });
  await test.get(PATH);
  expect(sent).toHaveLength(1);
  test.advance(2_001);
  fetchedAt = Date.now() - 3_000;
  await test.get(PATH);
  await test.get(PATH);
  expect(sent).toHaveLength(3);
});

it('returns the error of a failing fetch, and never an old book', async () => {
  receive(2_000);
  answer = new RequestError('upstream_failed', { upstreamStatus: 503, upstreamBody: 'down' });
  const response = await test.get(PATH);
  expect(response.status).toBe(502);
  expect(response.json()).toMatchObject({
    error: { code: 'upstream_unavailable', provider: 'venue_a', upstream: { status: 503, body: 'down' } },
  });
});

it('returns 429 with Retry-After if the limits leave no room', async () => {
  answer = new RequestError('rate_limited', { retryAfterMs: 7_000 });
  const response = await test.get(PATH);
  expect([response.status, response.headers['retry-after']]).toEqual([429, '7']);
  expect(response.json()).toMatchObject({ error: { code: 'upstream_rate_limited', provider: 'venue_a' } });
});

it.each([
  ['null', null],
  ['a text', 'nothing'],
  ['an object', { levels: [] }],
  ['a book of another coin', { ...FETCHED, coin: 'ETH' }],
  ['a size that is no number', { ...FETCHED, levels: [[{ px: '1', sz: 'x', n: 1 }], []] }],
  ['a negative size', { ...FETCHED, levels: [[{ px: '1', sz: '-1', n: 1 }], []] }],
])('returns 502 if the venue answers with %s', async (_, native) => {
  answer = native;
  const response = await test.get(PATH);
  expect(response.status).toBe(502);
  expect(response.json()).toMatchObject({ error: { upstream: { status: 200, body: native } } });
});

it('serves the newest book of a recording however old it is, without a request', async () => {
  live = false;
  receive(3_600_000);
  expect((await test.get(PATH)).json()).toMatchObject({ bids: [{ price: 99.5 }] });
  expect([sent, wanted]).toEqual([[], []]);
});

it('never sends a request for a sandbox key, whether its data set has the book or not', async () => {
  const getAsSandbox = async () =>
    test.request('GET', PATH, { authorization: `Bearer ${test.cachedToken(['read'], true)}` });
  applyRecord(VIEWS.coins, sandboxViews.coins, instrumentTopics.venue_a, 'BTC', anInstrument());
  expect((await getAsSandbox()).status).toBe(502);
  applyRecord(VIEWS.books, sandboxViews.books, bookTopics.venue_a, 'BTC', aBookUpdate(1));
  expect((await getAsSandbox()).json()).toMatchObject({ bids: [{ price: 99.5 }], ts: NOON_MS });
  expect(sent).toEqual([]);
});
