import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type BookUpdate,
  bookTopics,
  contextTopics,
  type Instrument,
  instrumentTopics,
} from '#schemas/topics/normalised';
import { aBookUpdate, aContext, anInstrument, aTrade, feed, NOON_MS } from '../../../../../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../../../../../testing/test-app.fixture.ts';
import { VIEWS } from '../../../../../views/views.ts';
import { getCandles } from './get-candles.ts';
import { getCoin } from './get-coin.ts';
import { getCoins } from './get-coins.ts';
import { getOrderbook } from './get-orderbook.ts';
import { getCoinTrades } from './get-trades.ts';

const COINS = '/v1/markets/venue_a/coins';
const NOTHING_RECEIVED = {
  code: 'upstream_unavailable',
  provider: 'venue_a_perp',
  upstream: { status: null, body: null },
};
let test: TestApp;
beforeEach(async () => {
  test = await createTestApp();
});
afterEach(() => test.app.close());

function list(fields: Partial<Instrument>): void {
  const instrument = anInstrument(fields);
  feed(VIEWS.coins, test.views.coins, instrumentTopics.venue_a, instrument.coin, instrument);
}
function book(update: BookUpdate): void {
  feed(VIEWS.books, test.views.books, bookTopics.venue_a, update.instrument, update);
}
async function body<T>(path: string, status = 200): Promise<T> {
  const answer = await test.get(`${COINS}${path}`);
  expect(answer.status, answer.body).toBe(status);
  return answer.json();
}
const errorOf = async (path: string, status: number) =>
  (await body<{ error: { code: string; message: string } }>(path, status)).error;

describe('GET /v1/markets/venue_a/coins', () => {
  it('lists what is listed of the main dex, in the order of the venue', async () => {
    list({ coin: 'ETH', index: 1, sizeDecimals: 4, maxLeverage: 25 });
    list({ coin: 'BTC', index: 0 });
    list({ coin: 'MATIC', index: 2, delisted: true });
    list({ coin: 'xyz:TSLA', provider: 'venue_a_dex', index: 0 });
    list({ coin: '@107', kind: 'spot', index: 107 });
    list({ coin: '#10', provider: 'venue_a_outcome', kind: 'outcome', index: 10 });
    const answer = await body<object>('');
    getCoins.response.parse(answer);
    expect(answer).toEqual({
      coins: [
        { name: 'BTC', sizeDecimals: 5, maxLeverage: 40 },
        { name: 'ETH', sizeDecimals: 4, maxLeverage: 25 },
      ],
    });
  });

  it('is kept for 60 s, but not while there are none', async () => {
    expect(await body('')).toEqual({ coins: [] });
    list({});
    expect(await body<{ coins: unknown[] }>('')).toMatchObject({ coins: [{ name: 'BTC' }] });
    list({ coin: 'ETH' });
    test.advance(60_000);
    expect((await body<{ coins: unknown[] }>('')).coins).toHaveLength(1);
    test.advance(1);
    expect((await body<{ coins: unknown[] }>('')).coins).toHaveLength(2);
  });
});

describe('GET /v1/markets/venue_a/coins/{coin}', () => {
  it('tells the newest figures, unknown ones as null', async () => {
    list({});
    feed(VIEWS.coins, test.views.coins, contextTopics.venue_a, 'BTC', aContext({ midPrice: null }));
    const answer = await body<object>('/BTC');
    getCoin.response.parse(answer);
    expect(answer).toEqual({
      coin: 'BTC',
      markPx: 100000.5,
      oraclePx: 100001,
      midPx: null,
      funding: 0.0000125,
      openInterest: 31234.5,
      dayNtlVlm: 123456789.25,
      dayBaseVlm: 1234.5,
    });
  });

  it('is 502 before the venue told any', async () => {
    list({});
    expect(await errorOf('/BTC', 502)).toMatchObject(NOTHING_RECEIVED);
  });
});

describe('GET /v1/markets/venue_a/coins/{coin}/orderbook', () => {
  it('tells the best levels first with the time of the venue', async () => {
    list({});
    book(aBookUpdate(3));
    book(
      aBookUpdate(2, {
        ts: NOON_MS + 7,
        bids: [
          { price: '99.75', size: '0.1' },
          { price: '99.5', size: '1.5' },
        ],
      }),
    );
    const answer = await body<object>('/BTC/orderbook');
    getOrderbook.response.parse(answer);
    expect(answer).toEqual({
      coin: 'BTC',
      bids: [
        { price: 99.75, size: 0.1 },
        { price: 99.5, size: 1.5 },
      ],
      asks: [
        { price: 100.5, size: 1.5 },
        { price: 101, size: 1.5 },
      ],
      ts: NOON_MS + 7,
    });
  });

  it.each([
    ['', 20],
    ['?depth=1', 1],
    ['?depth=0', 1],
    ['?depth=-3', 1],
    ['?depth=100', 100],
    ['?depth=101', 100],
  ])('takes %s as %i levels', async (query, depth) => {
    list({});
    book(aBookUpdate(120));
    const { bids, asks } = await body<{ bids: unknown[]; asks: unknown[] }>(`/BTC/orderbook${query}`);
    expect([bids.length, asks.length]).toEqual([depth, depth]);
  });

  it('is 502 for a book that was never received, and empty for one that is', async () => {
    list({});
    expect(await errorOf('/BTC/orderbook', 502)).toMatchObject(NOTHING_RECEIVED);
    book(aBookUpdate(3, { snapshot: false }));
    expect(await errorOf('/BTC/orderbook', 502)).toMatchObject(NOTHING_RECEIVED);
    book(aBookUpdate(0));
    expect(await body('/BTC/orderbook')).toMatchObject({ bids: [], asks: [] });
  });
});

describe('GET /v1/markets/venue_a/coins/{coin}/trades', () => {
  it('tells trades with the time in unix milliseconds', async () => {
    list({});
    test.setQuery((sql) => {
      const row = { ...aTrade({ instrument: 'BTC', price: '100000.1', qty: '0.002', txHash: null }), arrival: '1' };
      return sql.includes('FINAL') ? [row] : [];
    });
    const answer = await body<object>('/BTC/trades');
    getCoinTrades.response.parse(answer);
    expect(answer).toEqual({
      trades: [{ coin: 'BTC', price: 100000.1, size: 0.002, side: 'buy', ts: NOON_MS, txHash: null }],
    });
  });

  it.each([
    ['', 50],
    ['?limit=1', 1],
    ['?limit=0', 1],
    ['?limit=200', 200],
    ['?limit=201', 200],
  ])('takes %s as %i', async (query, limit) => {
    list({});
    const asked: unknown[] = [];
    test.setQuery((sql, parameters) => {
      if (sql.includes('FINAL')) asked.push(parameters);
      return [];
    });
    await body(`/BTC/trades${query}`);
    expect(asked).toMatchObject([{ provider0: 'venue_a_perp', instrument0: 'BTC', limit }]);
  });
});

describe('GET /v1/markets/venue_a/coins/{coin}/candles', () => {
  /** Parameters with which the bars were asked of the store. */
  async function asked(query: string) {
    list({});
    const seen: Record<string, unknown>[] = [];
    test.setQuery((sql, parameters) => {
      if (sql.includes('FINAL')) seen.push({ ...parameters, newestFirst: sql.includes('bucket DESC') });
      return [];
    });
    getCandles.response.parse(await body(`/BTC/candles${query}`));
    return seen[0]!;
  }

  it.each([
    ['', 100],
    ['?limit=1', 1],
    ['?limit=0', 1],
    ['?limit=5000', 5_000],
    ['?limit=5001', 5_000],
  ])('takes %s as %i', async (query, limit) => {
    expect(await asked(query)).toMatchObject({ limit, stepMs: 3_600_000, newestFirst: true });
  });

  it.each([
    ['1m', 60_000],
    ['5m', 300_000],
    ['15m', 900_000],
    ['1h', 3_600_000],
    ['4h', 14_400_000],
    ['1d', 86_400_000],
  ])('has bars of %s', async (interval, stepMs) => {
    expect(await asked(`?interval=${interval}`)).toMatchObject({ stepMs, provider: 'venue_a_perp', coin: 'BTC' });
  });

  it('tells bars oldest first, as numbers', async () => {
    list({});
    const bar = { open: '1.5', high: '2', low: '1', close: '1.25', volume: '10', source: 'venue_node' };
    const bars = [
      { ...bar, ts: 120_000 },
      { ...bar, ts: 60_000, source: null },
    ];
    test.setQuery((sql) => (sql.includes('FINAL') ? bars : []));
    expect(await body('/BTC/candles?interval=1m')).toEqual({
      candles: [
        { ts: 60_000, open: 1.5, high: 2, low: 1, close: 1.25, volume: 10, source: null },
        { ts: 120_000, open: 1.5, high: 2, low: 1, close: 1.25, volume: 10, source: 'venue_node' },
      ],
    });
  });

  it('takes bounds as unix ms and as ISO-8601', async () => {
    const iso = await asked('?interval=1m&start_time=2026-03-01T12:00:00Z&end_time=2026-03-01T13:00:00.000Z');
    expect(iso).toMatchObject({ from: NOON_MS, until: NOON_MS + 3_600_000, newestFirst: true });
    expect(await asked(`?interval=1m&start_time=${NOON_MS}`)).toMatchObject({ from: NOON_MS, newestFirst: false });
  });

  it('refuses a window that ends before it begins, and what is no time or interval', async () => {
    list({});
    const bad = [
      'start_time=10&end_time=10',
      'start_time=11&end_time=10',
      'start_time=noon',
      'end_time=2026-02-30',
      'interval=2m',
      'limit=ten',
    ];
    for (const query of bad) {
      const { code, message } = await errorOf(`/BTC/candles?${query}`, 400);
      expect(code, query).toBe('validation_failed');
      expect(message).toContain(query.split('=')[0]);
    }
    await body('/BTC/candles?start_time=10&end_time=11');
  });
});

describe.each(['', '/orderbook', '/trades', '/candles'])('GET /v1/markets/venue_a/coins/{coin}%s', (suffix) => {
  it.each(['DOGE', 'MATIC', 'btc', '@107', 'xyz%3ATSLA', '%2310', 'A%2FB'])('knows no coin %s', async (coin) => {
    list({});
    list({ coin: 'MATIC', delisted: true });
    list({ coin: '@107', kind: 'spot' });
    list({ coin: 'xyz:TSLA', provider: 'venue_a_dex' });
    expect(await errorOf(`/${coin}${suffix}`, 404)).toMatchObject({ code: 'unknown_coin' });
  });
});

describe('how long answers are kept', () => {
  it('is as the specification says', () => {
    const ttls = [getCoins, getCoin, getOrderbook, getCoinTrades, getCandles].map((route) => route.cacheTtlMs);
    expect(ttls).toEqual([60_000, 5_000, 2_000, 5_000, 30_000]);
  });
});
