import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type BookUpdate,
  bookTopics,
  contextTopics,
  type Instrument,
  instrumentTopics,
} from '#schemas/topics/normalised';
import { LIMIT_CASES } from '../../../../../testing/limit-cases.fixture.ts';
import {
  aBookUpdate,
  aContext,
  anInstrument,
  applyRecord,
  aTrade,
  NOON_MS,
} from '../../../../../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../../../../../testing/test-app.fixture.ts';
import { VIEWS } from '../../../../../views/views.ts';
import { getCandles } from './get-candles.ts';
import { getCoin } from './get-coin.ts';
import { getCoins } from './get-coins.ts';
import { getOrderbook } from './get-orderbook.ts';
import { getCoinTrades } from './get-trades.ts';

const COINS = '/v1/markets/venue_a/coins';
const NO_DATA_RECEIVED = {
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
  applyRecord(VIEWS.coins, test.views.coins, instrumentTopics.venue_a, instrument.coin, instrument);
}
function book(update: BookUpdate): void {
  applyRecord(VIEWS.books, test.views.books, bookTopics.venue_a, update.instrument, update);
}
async function body<T>(path: string, status = 200): Promise<T> {
  const response = await test.get(`${COINS}${path}`);
  expect(response.status, response.body).toBe(status);
  return response.json();
}
const errorOf = async (path: string, status: number) =>
  (await body<{ error: { code: string; message: string } }>(path, status)).error;

describe('GET /v1/markets/venue_a/coins', () => {
  it('lists the perpetuals of the main dex in the order of the venue', async () => {
    list({ coin: 'ETH', index: 1, sizeDecimals: 4, maxLeverage: 25 });
    list({ coin: 'BTC', index: 0 });
    list({ coin: 'MATIC', index: 2, delisted: true });
    list({ coin: 'xyz:TSLA', provider: 'venue_a_dex', index: 0 });
    list({ coin: '@107', kind: 'spot', index: 107 });
    list({ coin: '#10', provider: 'venue_a_outcome', kind: 'outcome', index: 10 });
    const response = await body<object>('');
    getCoins.response.parse(response);
    expect(response).toEqual({
      coins: [
        { name: 'BTC', sizeDecimals: 5, maxLeverage: 40 },
        { name: 'ETH', sizeDecimals: 4, maxLeverage: 25 },
      ],
    });
  });

  it('is cached for 60 s, but not while it is empty', async () => {
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
  it('returns the newest figures, unknown ones as null', async () => {
    list({});
    applyRecord(VIEWS.coins, test.views.coins, contextTopics.venue_a, 'BTC', aContext({ midPrice: null }));
    const response = await body<object>('/BTC');
    getCoin.response.parse(response);
    expect(response).toEqual({
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

  it('answers 502 before figures are received', async () => {
    list({});
    expect(await errorOf('/BTC', 502)).toMatchObject(NO_DATA_RECEIVED);
  });
});

describe('GET /v1/markets/venue_a/coins/{coin}/orderbook', () => {
  it('returns the best levels first, with the time of the venue', async () => {
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
    const response = await body<object>('/BTC/orderbook');
    getOrderbook.response.parse(response);
    expect(response).toEqual({
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
  ])('treats %j as a depth of %i', async (query, depth) => {
    list({});
    book(aBookUpdate(120));
    const { bids, asks } = await body<{ bids: unknown[]; asks: unknown[] }>(`/BTC/orderbook${query}`);
    expect([bids.length, asks.length]).toEqual([depth, depth]);
  });

  it('answers 502 for a book that was never received, and no levels for an empty book', async () => {
    list({});
    expect(await errorOf('/BTC/orderbook', 502)).toMatchObject(NO_DATA_RECEIVED);
    book(aBookUpdate(3, { snapshot: false }));
    expect(await errorOf('/BTC/orderbook', 502)).toMatchObject(NO_DATA_RECEIVED);
    book(aBookUpdate(0));
    expect(await body('/BTC/orderbook')).toMatchObject({ bids: [], asks: [] });
  });
});

describe('GET /v1/markets/venue_a/coins/{coin}/trades', () => {
  it('returns trades with the time in unix milliseconds', async () => {
    list({});
    test.setQuery((sql) => {
      const row = aTrade({ instrument: 'BTC', price: '100000.1', qty: '0.002', txHash: null });
      return sql.includes('FINAL') ? [row] : [];
    });
    const response = await body<object>('/BTC/trades');
    getCoinTrades.response.parse(response);
    expect(response).toEqual({
      trades: [{ coin: 'BTC', price: 100000.1, size: 0.002, side: 'buy', ts: NOON_MS, txHash: null }],
    });
  });

  it.each(LIMIT_CASES)('treats %j as a limit of %i', async (query, limit) => {
    list({});
    const queries: unknown[] = [];
    test.setQuery((sql, parameters) => {
      if (sql.includes('FINAL')) queries.push(parameters);
      return [];
    });
    await body(`/BTC/trades${query}`);
    expect(queries).toMatchObject([{ provider0: 'venue_a_perp', instrument0: 'BTC', limit }]);
  });
});

describe('GET /v1/markets/venue_a/coins/{coin}/candles', () => {
  /** Requests candles and returns the parameters of all store queries. */
  async function queryFor(query: string) {
    list({});
    const used: Record<string, unknown> = { newestFirst: false };
    test.setQuery((sql, parameters) => {
      Object.assign(used, parameters);
      if (sql.includes('openTime DESC')) used.newestFirst = true;
      return [];
    });
    getCandles.response.parse(await body(`/BTC/candles${query}`));
    return used;
  }

  it.each([
    ['', 100],
    ['?limit=1', 1],
    ['?limit=0', 1],
    ['?limit=5000', 5_000],
    ['?limit=5001', 5_000],
  ])('treats %j as a limit of %i', async (query, limit) => {
    // Two rows are scanned for each minute of a bar.
    expect(await queryFor(query)).toMatchObject({ rows: limit * 60 * 2, stepMs: 3_600_000, newestFirst: true });
  });

  it.each([
    ['1m', 60_000],
    ['5m', 300_000],
    ['15m', 900_000],
    ['1h', 3_600_000],
    ['4h', 14_400_000],
    ['1d', 86_400_000],
  ])('supports the interval %s', async (interval, stepMs) => {
    expect(await queryFor(`?interval=${interval}`)).toMatchObject({ stepMs, provider0: 'venue_a_perp', coin0: 'BTC' });
  });

  it('returns bars oldest first, as numbers', async () => {
    list({});
    const coin = { provider: 'venue_a_perp', coin: 'BTC', source: 'venue_node', intervalMs: 60_000 };
    const prices = { open: '1.5', high: '2', low: '1', close: '1.25', volume: '10', trades: 3 };
    const places = { openTs: null, openArrival: null, closeTs: null, closeArrival: null };
    const at = (openTime: number) => ({ openTime, lastTime: openTime, receivedAt: openTime });
    const bars = [120_000, 60_000].map((openTime) => ({ ...coin, ...prices, ...places, ...at(openTime) }));
    const ranges = [{ ...coin, kind: 'complete', from: 60_001, until: null }];
    test.setQuery((sql) => {
      if (sql.includes('FROM candle_ranges')) return ranges;
      return sql.includes('FINAL') ? bars : [];
    });
    expect(await body('/BTC/candles?interval=1m')).toEqual({
      candles: [
        { ts: 60_000, open: 1.5, high: 2, low: 1, close: 1.25, volume: 10, source: null },
        { ts: 120_000, open: 1.5, high: 2, low: 1, close: 1.25, volume: 10, source: 'venue_node' },
      ],
    });
  });

  it('accepts bounds as unix ms and as ISO-8601', async () => {
    const iso = await queryFor('?interval=1m&start_time=2026-03-01T12:00:00Z&end_time=2026-03-01T13:00:00.000Z');
    expect(iso).toMatchObject({ from: NOON_MS, until: NOON_MS + 3_600_000, newestFirst: true });
    expect(await queryFor(`?interval=1m&start_time=${NOON_MS}`)).toMatchObject({ from: NOON_MS, newestFirst: false });
  });

  it('refuses an empty window, and an invalid time, interval or limit', async () => {
    list({});
    const bad = [
      `start_time=${NOON_MS}&end_time=${NOON_MS}`,
      `start_time=${NOON_MS + 1}&end_time=${NOON_MS}`,
      'start_time=1772366400',
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
    await body(`/BTC/candles?start_time=${NOON_MS}&end_time=${NOON_MS + 1}`);
  });
});

describe.each(['', '/orderbook', '/trades', '/candles'])('GET /v1/markets/venue_a/coins/{coin}%s', (suffix) => {
  it.each(['DOGE', 'MATIC', 'btc', '@107', 'xyz%3ATSLA', '%2310', 'A%2FB'])(
    'answers 404 for the coin %s',
    async (coin) => {
      list({});
      list({ coin: 'MATIC', delisted: true });
      list({ coin: '@107', kind: 'spot' });
      list({ coin: 'xyz:TSLA', provider: 'venue_a_dex' });
      expect(await errorOf(`/${coin}${suffix}`, 404)).toMatchObject({ code: 'unknown_coin' });
    },
  );
});

describe('the cache times', () => {
  it('are those of the specification', () => {
    const ttls = [getCoins, getCoin, getOrderbook, getCoinTrades, getCandles].map((route) => route.cacheTtlMs);
    expect(ttls).toEqual([60_000, 5_000, 2_000, 5_000, 30_000]);
  });
});
