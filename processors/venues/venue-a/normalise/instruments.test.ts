import { describe, expect, it } from 'vitest';
import { type Instrument, instrumentTopics } from '#schemas/topics/normalised';
import { driveVenueA, START } from './venue-a.fixture.ts';

const instruments = (venue: ReturnType<typeof driveVenueA>): Instrument[] =>
  venue.stage.emittedTo(instrumentTopics.venue_a);
const perp = (name: string, change: Record<string, unknown> = {}) => ({
  name,
  szDecimals: 3,
  maxLeverage: 20,
  ...change,
});

describe('perps', () => {
  it('are emitted with their index and a flag for delisted ones', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'meta' }, { universe: [perp('OLD', { isDelisted: true }), perp('BTC', { maxLeverage: 40 })] });
    const common = {
      provider: 'venue_a_perp',
      receivedAt: START,
      kind: 'perp',
      sizeDecimals: 3,
      dex: null,
      base: null,
      quote: null,
      quoteDecimals: null,
      canonical: false,
    };
    expect(instruments(venue)).toEqual([
      { ...common, coin: 'OLD', maxLeverage: 20, delisted: true, index: 0 },
      { ...common, coin: 'BTC', maxLeverage: 40, delisted: false, index: 1 },
    ]);
  });

  it('are emitted again only when they changed', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'meta' }, { universe: [perp('BTC'), perp('ETH')] });
    venue.answer({ type: 'meta' }, { universe: [perp('BTC'), perp('ETH')] }, 5);
    expect(instruments(venue)).toHaveLength(2);
    venue.answer({ type: 'meta' }, { universe: [perp('BTC'), perp('ETH', { isDelisted: true })] }, 9);
    expect(instruments(venue)[2]).toMatchObject({ coin: 'ETH', delisted: true, receivedAt: START + 9 });
  });

  it('are read for all dexes from one answer in either form', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'allPerpMetas' }, [
      { universe: [perp('BTC')] },
      [{ universe: [perp('abc:GOLD')] }, []],
      { universe: [] },
    ]);
    expect(instruments(venue).map(({ coin, provider, dex }) => `${coin} ${provider} ${dex}`)).toEqual([
      'BTC venue_a_perp null',
      'abc:GOLD venue_a_dex abc',
    ]);
    expect([...venue.stage.state.universes]).toEqual([
      ['', ['BTC']],
      ['abc', ['abc:GOLD']],
    ]);
  });
});

describe('spot pairs', () => {
  const meta = {
    tokens: [
      { name: 'USD', szDecimals: 8, index: 0 },
      { name: 'BBB', szDecimals: 1, index: 12 },
      { name: 'AAA', szDecimals: 5, index: 7 },
    ],
    universe: [
      { name: 'AAA/USD', tokens: [7, 0], index: 0, isCanonical: true },
      { name: '@44', tokens: [12, 0], index: 44, isCanonical: false },
    ],
  };

  it('have names and decimals of their tokens, which are found by their index', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'spotMeta' }, meta);
    const quoted = { kind: 'spot', quote: 'USD', quoteDecimals: 8, maxLeverage: null, dex: null, delisted: false };
    expect(instruments(venue)).toMatchObject([
      { ...quoted, coin: 'AAA/USD', base: 'AAA', sizeDecimals: 5, index: 0 },
      { ...quoted, coin: '@44', base: 'BBB', sizeDecimals: 1, index: 44 },
    ]);
  });

  it('are delisted when a list lacks them, and listed again when one contains them', () => {
    const venue = driveVenueA();
    const [first, second] = meta.universe;
    const send = (universe: readonly unknown[], at: number) =>
      venue.answer({ type: 'spotMeta' }, { ...meta, universe }, at);
    send([first, second], 0);
    send([first], 1);
    send([], 2);
    send([second, first], 3);
    expect(instruments(venue).map(({ coin, delisted, receivedAt }) => `${coin} ${delisted} ${receivedAt}`)).toEqual([
      `AAA/USD false ${START}`,
      `@44 false ${START}`,
      `@44 true ${START + 1}`,
      `@44 false ${START + 3}`,
    ]);
  });

  it('are left out if their token is not listed, and the others are emitted', () => {
    const venue = driveVenueA();
    const unknown = { name: '@1', tokens: [99, 0], index: 1 };
    venue.answer({ type: 'spotMeta' }, { ...meta, universe: [unknown, ...meta.universe] });
    expect(instruments(venue).map(({ coin }) => coin)).toEqual(['AAA/USD', '@44']);
    expect(venue.stage.deadLetters).toEqual([]);
  });

  it('make the complete answer a dead letter that names the field if one is malformed', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'spotMeta' }, { ...meta, universe: [...meta.universe, { name: '@1', tokens: [], index: 1 }] });
    expect(venue.stage.outputs).toEqual([]);
    expect(venue.stage.deadLetters).toMatchObject([{ reason: 'malformed_answer' }]);
    expect(venue.stage.deadLetters[0]!.detail).toMatch(/^answer\.universe\[2\]\.tokens\[0\]: /);
  });
});
