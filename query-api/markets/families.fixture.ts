/** An application that serves the market families, and what their tests share. */
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
import { aContext, aPerpDex, applyRecord } from '../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts';
import type { Freshness } from '../views/freshness.ts';
import { VIEWS } from '../views/views.ts';
import { type Family, marketPath } from './family.ts';
import { CASES, type FamilyCase } from './family-cases.fixture.ts';

/** After this time, no cached response is left. */
const LONGEST_TTL_MS = Math.max(...ROUTES.map(({ cacheTtlMs }) => cacheTtlMs));
/** What may follow the path of a market. */
const SUFFIXES = ['', '/orderbook', '/trades', '/candles'] as const;
type Suffix = (typeof SUFFIXES)[number];

/** The cases with what their families' markets are called, for `describe.each`. */
export const FAMILIES = CASES.map((one) => [one.plural, one] as const);
/** Those of families with books and trades. */
export const TRADED_FAMILIES = FAMILIES.filter(([, { label }]) => label !== null);

/** What follows the path of a market of the case's family. */
export const suffixesOf = ({ label }: FamilyCase): readonly Suffix[] =>
  SUFFIXES.filter((suffix) => label !== null || (suffix !== '/orderbook' && suffix !== '/trades'));

/** Opens one application for a file of tests, since building one for each test takes minutes. It is emptied before each. */
export function useFamilies() {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp();
  });
  afterAll(() => test.app.close());
  let freshness: Freshness;
  beforeEach(() => {
    freshness ??= test.views.freshness;
    Object.assign(test.views, { freshness });
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
    /** Changes how current the views are, for one test. */
    setFreshness(fields: Partial<Freshness>): void {
      Object.assign(test.views, { freshness: { ...test.views.freshness, ...fields } });
    },
    get: (path: string) => test.get(path),
    body,
    errorOf: async (path: string, status: number) =>
      (await body<{ error: { code: string; message: string } }>(path, status)).error,
    setQuery: (...query: Parameters<TestApp['setQuery']>) => test.setQuery(...query),
    advance: (ms: number) => test.advance(ms),
  };
}

/** Paths of all routes that a family can have. */
export const pathsOf = (family: Family): readonly string[] => [
  family.path,
  ...SUFFIXES.map((suffix) => `${marketPath(family)}${suffix}`),
];

/** The declared route of a family with this suffix of the path of a market, or the list. */
export const routeOf = (family: Family, suffix: Suffix | 'list') =>
  ROUTES.find(({ path }) => path === (suffix === 'list' ? family.path : `${marketPath(family)}${suffix}`))!;
