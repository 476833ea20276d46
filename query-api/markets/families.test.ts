/** Runs every market family through the same cases. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AssetContext,
  type BookUpdate,
  bookTopics,
  contextTopics,
  type Instrument,
  instrumentTopics,
  type PerpDex,
  perpDexTopic,
} from '#schemas/topics/normalised';
import { ROUTES } from '../routes/index.ts';
import { LIMIT_CASES } from '../testing/limit-cases.fixture.ts';
import {
  aBookUpdate,
  aContext,
  aContract,
  anInstrument,
  aPair,
  aPerpDex,
  applyRecord,
  aTrade,
  NOON_MS,
} from '../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts';
import { VIEWS } from '../views/views.ts';
import { COINS } from './coins.ts';
import { CONTRACTS } from './contracts.ts';
import { type Family, marketPath } from './family.ts';
import { PAIRS } from './pairs.ts';

interface Case {
  readonly family: Family;
  /** Path of the list. */
  readonly list: string;
  readonly make: (fields?: Partial<Instrument>) => Instrument;
  /** Name of the made market in paths. */
  readonly name: string;
  /** Fields that give the market another name, and that name. */
  readonly renamed: Partial<Instrument>;
  readonly otherName: string;
  /** Fields of a market whose name does not match the pattern, and that name. */
  readonly odd: Partial<Instrument>;
  readonly oddName: string;
  readonly row: object;
  readonly snapshot: object;
  /** How a book and a trade name the market. */
  readonly label: object;
  readonly malformed: readonly string[];
  readonly unknown: readonly string[];
}

const ROOT = '/v1/markets/venue_a';
const FIGURES = [100000.5, 100001, 100000.25, 0.0000125, 31234.5, 123456789.25, 1234.5] as const;
const [MARK, ORACLE, MID, FUNDING, INTEREST, NOTIONAL, BASE] = FIGURES;

const CASES: readonly Case[] = [
  {
    family: COINS,
    list: `${ROOT}/coins`,
    make: anInstrument,
    name: 'BTC',
    renamed: { coin: 'ETH' },
    otherName: 'ETH',
    odd: { coin: 'A_B' },
    oddName: 'A_B',
    row: { name: 'BTC', sizeDecimals: 5, maxLeverage: 40 },
    snapshot: {
      coin: 'BTC',
      markPx: MARK,
      oraclePx: ORACLE,
      midPx: MID,
      funding: FUNDING,
      openInterest: INTEREST,
      dayNtlVlm: NOTIONAL,
      dayBaseVlm: BASE,
    },
    label: { coin: 'BTC' },
    malformed: ['@107', '#10', 'A/B', 'HYPE-USDC', 'X'.repeat(21), 'x'.repeat(5_000), 'ß', '*', 'xyz:', 'XYZ:TSLA'],
    unknown: ['DOGE', 'btc', 'orb:GOLD', 'xyz:TSLA', '__proto__'.replaceAll('_', '')],
  },
  {
    family: PAIRS,
    list: `${ROOT}/spot/pairs`,
    make: aPair,
    name: 'HYPE-USDC',
    renamed: { coin: '@142', base: 'UBTC', index: 142 },
    otherName: 'UBTC-USDC',
    odd: { base: 'A_B', coin: '@9' },
    oddName: 'A_B-USDC',
    row: {
      name: 'HYPE/USDC',
      pair: 'HYPE-USDC',
      baseToken: 'HYPE',
      quoteToken: 'USDC',
      baseDecimals: 2,
      quoteDecimals: 8,
      index: 107,
    },
    snapshot: {
      pair: 'HYPE-USDC',
      markPrice: MARK,
      midPrice: MID,
      prevDayPrice: 99000,
      dayChangePct: 1.0106060606060605,
      dayNotionalVolume: NOTIONAL,
      dayBaseVolume: BASE,
    },
    label: { pair: 'HYPE-USDC' },
    malformed: ['HYPE', 'HYPE/USDC', '@107', 'HYPE-', '-USDC', 'A-B-C', `${'A'.repeat(21)}-USDC`, 'A_B-C'],
    unknown: ['USDC-HYPE', 'hype-usdc', 'BTC-USDC'],
  },
  {
    family: CONTRACTS,
    list: `${ROOT}/perp-dex/orb/contracts`,
    make: aContract,
    name: 'GOLD',
    renamed: { coin: 'orb:OIL' },
    otherName: 'OIL',
    odd: { coin: 'orb:A_B' },
    oddName: 'A_B',
    row: { symbol: 'GOLD', upstreamCoin: 'orb:GOLD', decimals: 5, maxLeverage: 20 },
    snapshot: {
      symbol: 'GOLD',
      markPrice: MARK,
      oraclePrice: ORACLE,
      midPrice: MID,
      fundingRate: FUNDING,
      openInterest: INTEREST,
      dayNotionalVolume: NOTIONAL,
      dayBaseVolume: BASE,
    },
    label: { coin: 'orb:GOLD' },
    malformed: ['orb:GOLD', '@1', 'X'.repeat(21), 'A-B'],
    unknown: ['OIL', 'gold', 'BTC'],
  },
];
/** After this time, no cached response is left. */
const LONGEST_TTL_MS = Math.max(...ROUTES.map(({ cacheTtlMs }) => cacheTtlMs));
const SUFFIXES = ['', '/orderbook', '/trades', '/candles'] as const;

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp();
});
afterAll(() => test.app.close());
/** Empties the one application, since building one for each test takes minutes. */
beforeEach(() => {
  const { instruments, contexts, perpDexes } = test.views.coins.venue_a;
  for (const records of [instruments, contexts, perpDexes, test.views.books.venue_a]) records.clear();
  test.setQuery(() => []);
  test.advance(LONGEST_TTL_MS + 1);
});

function add(instrument: Instrument): void {
  applyRecord(VIEWS.coins, test.views.coins, instrumentTopics.venue_a, instrument.coin, instrument);
}
function addDex(fields: Partial<PerpDex> = {}): void {
  const dex = aPerpDex(fields);
  applyRecord(VIEWS.coins, test.views.coins, perpDexTopic, dex.name, dex);
}
function context(fields: Partial<AssetContext>): void {
  const figures = aContext(fields);
  applyRecord(VIEWS.coins, test.views.coins, contextTopics.venue_a, figures.coin, figures);
}
function book(update: BookUpdate): void {
  applyRecord(VIEWS.books, test.views.books, bookTopics.venue_a, update.instrument, update);
}
async function body<T>(path: string, status = 200): Promise<T> {
  const response = await test.get(path);
  expect(response.status, response.body).toBe(status);
  return response.json();
}
const errorOf = async (path: string, status: number) =>
  (await body<{ error: { code: string; message: string } }>(path, status)).error;
/** The declared route of a family with this suffix of the path of a market, or the list. */
const routeOf = (family: Family, suffix: (typeof SUFFIXES)[number] | 'list') =>
  ROUTES.find(({ path }) => path === (suffix === 'list' ? family.path : `${marketPath(family)}${suffix}`))!;

describe.each(CASES.map((one) => [one.family.noun, one] as const))('the family of a %s', (noun, one) => {
  const { family, list, make, name } = one;
  const { coin, provider } = make();
  const market = `${list}/${encodeURIComponent(name)}`;
  const NO_DATA = { code: 'upstream_unavailable', provider, upstream: { status: null, body: null } };
  beforeEach(() => addDex());

  describe('has a list that', () => {
    it("holds its listed markets and no others, in the venue's order", async () => {
      add(make({ ...one.renamed, index: 999 }));
      add(make());
      add(make({ ...one.odd, delisted: true }));
      for (const other of CASES) if (other !== one) add(other.make());
      add(anInstrument({ coin: 'flx:GOLD', provider: 'venue_a_dex', dex: 'flx' }));
      add(aPair({ coin: '@108', index: 1, canonical: false }));
      add(anInstrument({ coin: '#10', provider: 'venue_a_outcome', kind: 'outcome' }));
      const response = await body<Record<string, object[]>>(list);
      routeOf(family, 'list').response.parse(response);
      expect(Object.keys(response)).toEqual([`${noun}s`]);
      expect(response[`${noun}s`]).toHaveLength(2);
      expect(response[`${noun}s`]![0]).toEqual(one.row);
    });

    it('is cached for 60 s, but not while it is empty', async () => {
      const length = async () => (await body<Record<string, object[]>>(list))[`${noun}s`]!.length;
      expect(await length()).toBe(0);
      add(make());
      expect(await length()).toBe(1);
      add(make(one.renamed));
      test.advance(60_000);
      expect(await length()).toBe(1);
      test.advance(1);
      expect(await length()).toBe(2);
    });
  });

  describe('has a snapshot that', () => {
    it('returns the newest figures', async () => {
      add(make());
      context({ coin, provider });
      const response = await body<object>(market);
      routeOf(family, '').response.parse(response);
      expect(response).toEqual(one.snapshot);
    });

    it('has unknown figures as null', async () => {
      add(make());
      const unknown = Object.fromEntries(Object.keys(aContext()).map((field) => [field, null]));
      context({ ...unknown, coin, provider, receivedAt: NOON_MS });
      const figures = Object.values(await body<object>(market)).filter((value) => typeof value !== 'string');
      expect(new Set(figures)).toEqual(new Set([null]));
    });

    it('is 502 before figures are received', async () => {
      add(make());
      expect(await errorOf(market, 502)).toMatchObject(NO_DATA);
    });
  });

  describe('has an order book that', () => {
    const update = (levels: number, fields: Partial<BookUpdate> = {}) =>
      book(aBookUpdate(levels, { provider, instrument: coin, marketId: coin, ...fields }));

    it('returns the best levels of the newest book, with the time of the venue', async () => {
      add(make());
      update(3);
      const bids = [
        { price: '99.75', size: '0.1' },
        { price: '99.5', size: '1.5' },
      ];
      update(2, { ts: NOON_MS + 7, bids });
      const response = await body<object>(`${market}/orderbook`);
      routeOf(family, '/orderbook').response.parse(response);
      expect(response).toEqual({
        ...one.label,
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
      add(make());
      update(120);
      const { bids, asks } = await body<{ bids: unknown[]; asks: unknown[] }>(`${market}/orderbook${query}`);
      expect([bids.length, asks.length]).toEqual([depth, depth]);
    });

    it('is 502 if it was never received and nothing answers, and has no levels if it is empty', async () => {
      add(make());
      const unanswered = { ...NO_DATA, provider: 'venue_a' };
      expect(await errorOf(`${market}/orderbook`, 502)).toMatchObject(unanswered);
      update(3, { snapshot: false });
      expect(await errorOf(`${market}/orderbook`, 502)).toMatchObject(unanswered);
      update(0);
      expect(await body(`${market}/orderbook`)).toMatchObject({ bids: [], asks: [] });
    });
  });

  describe('has trades that', () => {
    it('have the time in unix milliseconds', async () => {
      add(make());
      test.setQuery((sql) => {
        const row = aTrade({ instrument: coin, price: '100000.1', qty: '0.002', txHash: null });
        return sql.includes('FINAL') ? [row] : [];
      });
      const response = await body<object>(`${market}/trades`);
      routeOf(family, '/trades').response.parse(response);
      expect(response).toEqual({
        trades: [{ ...one.label, price: 100000.1, size: 0.002, side: 'buy', ts: NOON_MS, txHash: null }],
      });
    });

    it.each(LIMIT_CASES)('treat %j as a limit of %i', async (query, limit) => {
      add(make());
      const queries: unknown[] = [];
      test.setQuery((sql, parameters) => {
        if (sql.includes('FINAL')) queries.push(parameters);
        return [];
      });
      expect(await body(`${market}/trades${query}`)).toEqual({ trades: [] });
      expect(queries).toMatchObject([{ provider0: provider, instrument0: coin, limit }]);
    });
  });

  describe('has candles that', () => {
    /** Requests candles and returns the parameters of all store queries. */
    async function queryFor(query: string) {
      add(make());
      const used: Record<string, unknown> = { newestFirst: false };
      test.setQuery((sql, parameters) => {
        Object.assign(used, parameters);
        if (sql.includes('openTime DESC')) used.newestFirst = true;
        return [];
      });
      routeOf(family, '/candles').response.parse(await body(`${market}/candles${query}`));
      return used;
    }

    it.each([
      ['', 100],
      ['?limit=1', 1],
      ['?limit=0', 1],
      ['?limit=5000', 5_000],
      ['?limit=5001', 5_000],
    ])('treat %j as a limit of %i', async (query, limit) => {
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
    ])('support the interval %s', async (interval, stepMs) => {
      expect(await queryFor(`?interval=${interval}`)).toMatchObject({ stepMs, provider0: provider, coin0: coin });
    });

    it('are oldest first, as numbers, with a source only where the family has one', async () => {
      add(make());
      const of = { provider, coin, source: 'venue_node', intervalMs: 60_000 };
      const prices = { open: '1.5', high: '2', low: '1', close: '1.25', volume: '10', trades: 3 };
      const places = { openTs: null, openArrival: null, closeTs: null, closeArrival: null };
      const at = (openTime: number) => ({ openTime, lastTime: openTime, receivedAt: openTime });
      const bars = [120_000, 60_000].map((openTime) => ({ ...of, ...prices, ...places, ...at(openTime) }));
      const ranges = [{ ...of, kind: 'complete', from: 60_001, until: null }];
      test.setQuery((sql) => {
        if (sql.includes('FROM candle_ranges')) return ranges;
        return sql.includes('FINAL') ? bars : [];
      });
      const numbers = { open: 1.5, high: 2, low: 1, close: 1.25, volume: 10 };
      const source = (value: string | null) => (noun === 'pair' ? {} : { source: value });
      expect(await body(`${market}/candles?interval=1m`)).toEqual({
        candles: [
          { ts: 60_000, ...numbers, ...source(null) },
          { ts: 120_000, ...numbers, ...source('venue_node') },
        ],
      });
    });

    it('accept bounds as unix ms and as ISO-8601', async () => {
      const iso = await queryFor('?interval=1m&start_time=2026-03-01T12:00:00Z&end_time=2026-03-01T13:00:00.000Z');
      expect(iso).toMatchObject({ from: NOON_MS, until: NOON_MS + 3_600_000, newestFirst: true });
      expect(await queryFor(`?interval=1m&start_time=${NOON_MS}`)).toMatchObject({ from: NOON_MS, newestFirst: false });
    });

    it('refuse an empty window, and an invalid time, interval or limit', async () => {
      add(make());
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
        const { code, message } = await errorOf(`${market}/candles?${query}`, 400);
        expect(code, query).toBe('validation_failed');
        expect(message).toContain(query.split('=')[0]);
      }
      await body(`${market}/candles?start_time=${NOON_MS}&end_time=${NOON_MS + 1}`);
    });
  });

  describe.each(SUFFIXES)('answers <name>%s', (suffix) => {
    const { parameter, unknown } = family.name;
    const url = (written: string) => `${list}/${encodeURIComponent(written)}${suffix}`;
    beforeEach(() => {
      for (const each of CASES) add(each.make());
      add(aPair({ coin: '@108', base: 'BTC', canonical: false }));
    });

    it.each(one.malformed)('with 400 naming the parameter for the malformed name %s', async (written) => {
      const { code, message } = await errorOf(url(written), 400);
      expect([code, message.split(':')[0]]).toEqual(['validation_failed', parameter]);
    });

    it.each(one.unknown)('with 404 for the unknown name %s', async (written) => {
      expect(await errorOf(url(written), 404)).toMatchObject({ code: unknown });
    });

    it('for a listed name that does not match the pattern', async () => {
      add(make(one.odd));
      context({ coin: make(one.odd).coin, provider });
      book(aBookUpdate(1, { instrument: make(one.odd).coin }));
      await body(url(one.oddName));
    });

    it('for a delisted market only if it is about trades or candles', async () => {
      const gone = make({ ...one.renamed, delisted: true });
      add(gone);
      context({ coin: gone.coin, provider });
      book(aBookUpdate(1, { instrument: gone.coin }));
      const isRecorded = suffix === '/trades' || suffix === '/candles';
      if (isRecorded) await body(url(one.otherName));
      else expect(await errorOf(url(one.otherName), 404)).toMatchObject({ code: unknown });
    });
  });

  it('has the cache times of the specification', () => {
    const times = (['list', ...SUFFIXES] as const).map((suffix) => routeOf(family, suffix).cacheTtlMs);
    expect(times).toEqual([60_000, 5_000, 2_000, 5_000, 30_000]);
  });
});

describe('the change of a day of a pair', () => {
  const changeOf = async (figures: Partial<AssetContext>) => {
    add(aPair());
    context({ coin: '@107', ...figures });
    return (await body<{ dayChangePct: number | null }>(`${ROOT}/spot/pairs/HYPE-USDC`)).dayChangePct;
  };

  it.each([
    ['12', '10', 20],
    ['0.1', '0.3', -66.66666666666667],
    ['5', '5', 0],
    [null, '10', null],
    ['12', null, null],
    ['12', '0', null],
  ])('from %s with the price %s of the day before is %s', async (markPrice, previousDayPrice, change) => {
    expect(await changeOf({ markPrice: markPrice as string, previousDayPrice })).toBe(change);
  });
});

describe('a builder dex', () => {
  const contracts = (dex: string) => `${ROOT}/perp-dex/${encodeURIComponent(dex)}/contracts`;

  it('is listed in the order of the venue, also without contracts and not while it is delisted', async () => {
    addDex({ name: 'two', index: 2, fullName: null, deployer: null });
    addDex();
    addDex({ name: 'gone', index: 3, delisted: true });
    const listed = [
      { name: 'orb', fullName: 'Orbit Markets', deployer: `0x${'d'.repeat(40)}` },
      { name: 'two', fullName: null, deployer: null },
    ];
    expect(await body(`${ROOT}/perp-dex`)).toEqual({ dexes: listed });
    expect(await body(contracts('two'))).toEqual({ contracts: [] });
    addDex({ name: 'new', index: 4 });
    test.advance(300_000);
    expect(await body(`${ROOT}/perp-dex`)).toEqual({ dexes: listed });
    test.advance(1);
    expect((await body<{ dexes: object[] }>(`${ROOT}/perp-dex`)).dexes).toHaveLength(3);
  });

  it.each(['', '/GOLD', '/GOLD/orderbook', '/GOLD/trades', '/GOLD/candles'])(
    'is 404 unknown_dex if it is unknown and 400 if it is malformed, before the symbol is looked up: %s',
    async (suffix) => {
      addDex();
      add(aContract());
      expect(await errorOf(`${contracts('none')}${suffix}`, 404)).toMatchObject({ code: 'unknown_dex' });
      for (const dex of ['ORB', 'sevench', 'o_b', 'orb:', '@1']) {
        const { code, message } = await errorOf(`${contracts(dex)}${suffix}`, 400);
        expect([code, message.split(':')[0]]).toEqual(['validation_failed', 'dex']);
      }
    },
  );

  it('is 400 naming the symbol if only that is malformed, whether the dex is known or not', async () => {
    addDex();
    for (const dex of ['orb', 'none'])
      expect((await errorOf(`${contracts(dex)}/A_B`, 400)).message.split(':')[0]).toBe('symbol');
  });

  it('that is listed is served however it is spelled', async () => {
    addDex({ name: 'LONG_DEX' });
    add(aContract({ coin: 'LONG_DEX:GOLD', dex: 'LONG_DEX' }));
    expect((await body<{ contracts: object[] }>(contracts('LONG_DEX'))).contracts).toHaveLength(1);
    await body(`${contracts('LONG_DEX')}/GOLD/trades`);
  });

  it('that is no longer listed has no contracts, but their trades and candles remain', async () => {
    addDex({ delisted: true });
    add(aContract());
    context({ coin: 'orb:GOLD' });
    book(aBookUpdate(1, { instrument: 'orb:GOLD' }));
    for (const suffix of ['', '/GOLD', '/GOLD/orderbook'])
      expect(await errorOf(`${contracts('orb')}${suffix}`, 404)).toMatchObject({ code: 'unknown_dex' });
    for (const suffix of ['/GOLD/trades', '/GOLD/candles']) await body(`${contracts('orb')}${suffix}`);
  });
});
