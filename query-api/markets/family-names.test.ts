import { beforeEach, describe, expect, it } from 'vitest';
import { ROUTES } from '../routes/index.ts';
import { aBookUpdate, aContract, aPair } from '../testing/records.fixture.ts';
import { FAMILIES, pathsOf, suffixesOf, useFamilies } from './families.fixture.ts';
import { marketPath } from './family.ts';
import { CASES, ROOT } from './family-cases.fixture.ts';

const families = useFamilies();
const { add, addDex, advance, body, book, context, errorOf } = families;

/** Cache times of the specification, by what follows the path of a market; of all routes that a family can have. */
const LIST_MS = 60_000;
const CACHE_MS = { '': 5_000, '/orderbook': 2_000, '/trades': 5_000, '/candles': 30_000 } as const;

describe.each(FAMILIES)('the family of %s', (_plural, one) => {
  const { family, list, make } = one;
  const { provider } = make();
  beforeEach(() => addDex());

  describe.each(suffixesOf(one))('answers <name>%s', (suffix) => {
    const { parameter, unknown } = family.name;
    const url = (written: string) => `${list}/${encodeURIComponent(written)}${suffix}`;
    beforeEach(() => {
      families.addAll();
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

  it('has the routes of its kind and no others, with the cache times of the specification', () => {
    const declared = ROUTES.filter(({ path }) => pathsOf(family).includes(path));
    const expected = suffixesOf(one).map((suffix) => [`${marketPath(family)}${suffix}`, CACHE_MS[suffix]]);
    expect(Object.fromEntries(declared.map(({ path, cacheTtlMs }) => [path, cacheTtlMs]))).toEqual(
      Object.fromEntries([[family.path, LIST_MS], ...expected]),
    );
    expect('label' in family).toBe(one.label !== null);
  });
});

it('every route about a market of venue_a belongs to a family with cases', () => {
  const known = CASES.flatMap(({ family }) => pathsOf(family));
  const others = ROUTES.filter(({ path }) => path.startsWith(`${ROOT}/`) && path.includes('/:'))
    .map(({ path }) => path)
    .filter((path) => !known.includes(path));
  expect(others, 'add a case to family-cases.fixture.ts').toEqual([]);
});

it('every family names its markets with a parameter of its own', () => {
  const parameters = CASES.map(({ family }) => family.name.parameter);
  expect(new Set(parameters).size).toBe(parameters.length);
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
    advance(300_000);
    expect(await body(`${ROOT}/perp-dex`)).toEqual({ dexes: listed });
    advance(1);
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
