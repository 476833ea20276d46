/** The market families with a market each, and an application that serves them. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
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
import { aContext, aContract, anInstrument, aPair, aPerpDex, applyRecord } from '../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts';
import { VIEWS } from '../views/views.ts';
import { COINS } from './coins.ts';
import { CONTRACTS } from './contracts.ts';
import { type Family, marketPath } from './family.ts';
import { PAIRS } from './pairs.ts';

export interface FamilyCase {
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

export const ROOT = '/v1/markets/venue_a';
const FIGURES = [100000.5, 100001, 100000.25, 0.0000125, 31234.5, 123456789.25, 1234.5] as const;
const [MARK, ORACLE, MID, FUNDING, INTEREST, NOTIONAL, BASE] = FIGURES;

export const CASES: readonly FamilyCase[] = [
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
export const SUFFIXES = ['', '/orderbook', '/trades', '/candles'] as const;

/** The cases with the noun of their family, for `describe.each`. */
export const FAMILIES = CASES.map((one) => [one.family.noun, one] as const);

/** Opens one application for a file of tests, since building one for each test takes minutes. It is emptied before each. */
export function useFamilies() {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp();
  });
  afterAll(() => test.app.close());
  beforeEach(() => {
    const { instruments, contexts, perpDexes } = test.views.coins.venue_a;
    for (const records of [instruments, contexts, perpDexes, test.views.books.venue_a]) records.clear();
    test.setQuery(() => []);
    test.advance(LONGEST_TTL_MS + 1);
  });
  async function body<T>(path: string, status = 200): Promise<T> {
    const response = await test.get(path);
    expect(response.status, response.body).toBe(status);
    return response.json();
  }
  return {
    add(instrument: Instrument): void {
      applyRecord(VIEWS.coins, test.views.coins, instrumentTopics.venue_a, instrument.coin, instrument);
    },
    /** Adds a market of every family. */
    addAll(): void {
      for (const { make } of CASES) this.add(make());
    },
    addDex(fields: Partial<PerpDex> = {}): void {
      const dex = aPerpDex(fields);
      applyRecord(VIEWS.coins, test.views.coins, perpDexTopic, dex.name, dex);
    },
    context(fields: Partial<AssetContext>): void {
      const figures = aContext(fields);
      applyRecord(VIEWS.coins, test.views.coins, contextTopics.venue_a, figures.coin, figures);
    },
    book(update: BookUpdate): void {
      applyRecord(VIEWS.books, test.views.books, bookTopics.venue_a, update.instrument, update);
    },
    body,
    errorOf: async (path: string, status: number) =>
      (await body<{ error: { code: string; message: string } }>(path, status)).error,
    setQuery: (...query: Parameters<TestApp['setQuery']>) => test.setQuery(...query),
    advance: (ms: number) => test.advance(ms),
  };
}

/** The declared route of a family with this suffix of the path of a market, or the list. */
export const routeOf = (family: Family, suffix: (typeof SUFFIXES)[number] | 'list') =>
  ROUTES.find(({ path }) => path === (suffix === 'list' ? family.path : `${marketPath(family)}${suffix}`))!;
