/** Runs every market family through the same cases. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { AssetContext, BookUpdate } from '#schemas/topics/normalised';
import { LIMIT_CASES } from '../testing/limit-cases.fixture.ts';
import { aBookUpdate, aContext, aContract, anInstrument, aPair, aTrade, NOON_MS } from '../testing/records.fixture.ts';
import { FAMILIES, routeOf, TRADED_FAMILIES, useFamilies } from './families.fixture.ts';
import { CASES, ROOT } from './family-cases.fixture.ts';

const { add, addDex, advance, body, book, context, errorOf, get, setQuery } = useFamilies();

describe.each(FAMILIES)('the family of %s', (plural, one) => {
  const { family, list, make, name } = one;
  const { coin, provider } = make();
  const market = `${list}/${encodeURIComponent(name)}`;
  const NO_DATA = { code: 'upstream_unavailable', provider: 'venue_a', upstream: { status: null, body: null } };
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
      expect(Object.keys(response)).toEqual([plural]);
      expect(response[plural]).toHaveLength(2);
      expect(response[plural]![0]).toEqual(one.row);
    });

    it('is cached for 60 s, but not while it is empty', async () => {
      const length = async () => (await body<Record<string, object[]>>(list))[plural]!.length;
      expect(await length()).toBe(0);
      add(make());
      expect(await length()).toBe(1);
      add(make(one.renamed));
      advance(60_000);
      expect(await length()).toBe(1);
      advance(1);
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
});

describe.each(TRADED_FAMILIES)('the family of %s', (_plural, one) => {
  const { family, list, make, name } = one;
  const { coin, provider } = make();
  const market = `${list}/${encodeURIComponent(name)}`;
  beforeEach(() => addDex());

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
      const unanswered = { code: 'upstream_unavailable', provider: 'venue_a', upstream: { status: null, body: null } };
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
      setQuery((sql) => {
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
      setQuery((sql, parameters) => {
        if (sql.includes('FINAL')) queries.push(parameters);
        return [];
      });
      expect(await body(`${market}/trades${query}`)).toEqual({ trades: [] });
      expect(queries).toMatchObject([{ provider0: provider, instrument0: coin, limit }]);
    });
  });
});

describe('the list of a dex without contracts', () => {
  const EMPTY = `${ROOT}/perp-dex/flx/contracts`;

  it('is cached once the contracts of all dexes were received, and not before', async () => {
    addDex({ name: 'flx' });
    expect((await get(EMPTY)).headers).not.toHaveProperty('etag');
    add(aContract());
    const { headers, json } = await get(EMPTY);
    expect(json()).toEqual({ contracts: [] });
    expect(headers).toMatchObject({ etag: expect.any(String), 'cache-control': 'private, max-age=60', age: '0' });
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
