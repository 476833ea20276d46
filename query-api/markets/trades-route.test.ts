/** When trades are read from the venue: `families.test.ts` checks what is served of the recorded ones. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { LogError } from '#infra/log/log';
import { RequestError } from '#infra/requests/request-error';
import type { Instrument } from '#schemas/topics/normalised';
import { instrumentTopics } from '#schemas/topics/normalised';
import { anInstrument, applyRecord, aTrade, createViews, emptySandbox, NOON_MS } from '../testing/records.fixture.ts';
import { requestsAnsweredBy } from '../testing/requests.fixture.ts';
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts';
import { VIEWS } from '../views/views.ts';

const PATH = '/v1/markets/venue_a/coins/BTC/trades';
const wire = (tid: number, time: number, fields: object = {}) => ({
  ...{ coin: 'BTC', side: 'A', px: '70100.50', sz: '0.25', time, hash: `0x${tid}`, tid },
  ...{ users: [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`], ...fields },
});
const recorded = (tid: number, ts: number) =>
  aTrade({
    ...{ id: `venue_a_perp:BTC:${ts}:${tid}`, provider: 'venue_a_perp', marketId: 'BTC', instrument: 'BTC' },
    ...{ ts, price: '70100.5', qty: '0.25', side: 'sell', txHash: `0x${tid}`, tradeId: String(tid) },
  });
const READ = ['venue_a.info', { type: 'recentTrades', coin: 'BTC' }];

let test: TestApp;
let sent: unknown[];
/** The venue's answer, or the error of the request. */
let answer: unknown;
let live: boolean;
const sandboxViews = createViews();
const sandbox = { data: async () => ({ ...(await emptySandbox().data()), views: sandboxViews }) };

function list(fields: Partial<Instrument> = {}, views = test.views): void {
  applyRecord(
    VIEWS.coins,
    views.coins,
    instrumentTopics.venue_a,
    'BTC',
    anInstrument({ tradesLeftOut: true, ...fields }),
  );
}

beforeAll(async () => {
  const requests = requestsAnsweredBy((kind, params) => {
    sent.push([kind, params]);
    if (answer instanceof Error) throw answer;
    if (answer instanceof Promise) return answer;
    return { native: answer, fetchedAt: Date.now(), source: 'official' };
  });
  test = await createTestApp({ app: { requests, sandbox } });
  Object.assign(test.views, { freshness: { ...test.views.freshness, isLive: () => live } });
});
afterAll(() => test.app.close());
beforeEach(() => {
  [sent, answer, live] = [[], [wire(3, NOON_MS + 2), wire(2, NOON_MS)], true];
  test.setQuery(() => [recorded(2, NOON_MS), recorded(1, NOON_MS - 5)].map((trade) => ({ ...trade, reached: 2 })));
  test.advance(5_001);
  list();
});

const served = async (url = PATH) => {
  const response = await test.get(url);
  expect(response.status, response.body).toBe(200);
  return (response.json() as { trades: { ts: number; txHash: string }[] }).trades;
};
const RECORDED = ['0x2', '0x1'];
const hashes = async (url = PATH) => (await served(url)).map(({ txHash }) => txHash);

it('joins the trades that only recentTrades has with the recorded ones, in the same form', async () => {
  const [newest, ...others] = await served();
  expect(newest).toEqual({ coin: 'BTC', price: 70100.5, size: 0.25, side: 'sell', ts: NOON_MS + 2, txHash: '0x3' });
  expect(others).toEqual([
    { ...newest, ts: NOON_MS, txHash: '0x2' },
    { ...newest, ts: NOON_MS - 5, txHash: '0x1' },
  ]);
  expect(sent).toEqual([READ]);
});

it('reads once for all requests of the lifetime of a response', async () => {
  await Promise.all(Array.from({ length: 100 }, () => served()));
  expect(sent).toHaveLength(1);
  test.advance(5_001);
  await served();
  expect(sent).toHaveLength(2);
});

it('returns at most as many as requested', async () => {
  expect(await hashes(`${PATH}?limit=2`)).toEqual(['0x3', '0x2']);
});

it.each([
  ['whose trades are subscribed', () => list({ tradesLeftOut: false })],
  ['that is delisted', () => list({ delisted: true })],
  [
    'of a recording',
    () => {
      live = false;
    },
  ],
])('sends no request for a market %s', async (_, arrange) => {
  arrange();
  expect(await hashes()).toEqual(RECORDED);
  expect(sent).toEqual([]);
});

it('sends no request for a sandbox key', async () => {
  list({}, sandboxViews);
  const headers = { authorization: `Bearer ${test.cachedToken(['read'], true)}` };
  expect((await test.request('GET', PATH, headers)).status).toBe(200);
  expect(sent).toEqual([]);
});

it.each([
  ['fails', new RequestError('upstream_failed', { upstreamStatus: 503, upstreamBody: 'down' })],
  ['is refused by the venue with 429', new RequestError('rate_limited', { retryAfterMs: 9_000 })],
  ['is not answered by ingest', new RequestError('late')],
  ['cannot be sent', new LogError('log_full', 'no room')],
  ['returns no list', { trades: [] }],
  ['returns a trade without a price', [wire(3, NOON_MS, { px: 'x' })]],
  ['returns null', null],
])('returns what is recorded if the read %s', async (_, failing) => {
  answer = failing;
  expect(await hashes()).toEqual(RECORDED);
  expect(sent).toEqual([READ]);
});

it('returns what is recorded after two seconds if the read hangs', async () => {
  let finish!: (value: unknown) => void;
  answer = new Promise((resolve) => {
    finish = resolve;
  });
  const since = performance.now();
  expect(await hashes()).toEqual(RECORDED);
  expect(performance.now() - since).toBeGreaterThan(1_900);
  finish({ native: [], fetchedAt: Date.now(), source: 'official' });
  await sleep(0);
});

it('fails like before if the recorded trades cannot be read, whatever the venue returns', async () => {
  test.setQuery(() => {
    throw new Error('the store is unreachable');
  });
  expect((await test.get(PATH)).status).toBe(500);
});
