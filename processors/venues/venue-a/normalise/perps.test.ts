import { describe, expect, it } from 'vitest';
import { instrumentTopics } from '#schemas/topics/normalised';
import { driveVenueA, START } from './venue-a.fixture.ts';

const instruments = (venue: ReturnType<typeof driveVenueA>) => venue.stage.emittedTo(instrumentTopics.venue_a);
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
      tradesLeftOut: false,
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

  it('state whether ingest leaves out their trades, also those that are listed later', () => {
    const venue = driveVenueA();
    const listed = () => instruments(venue).map(({ coin, tradesLeftOut }) => `${coin} ${tradesLeftOut}`);
    venue.answer({ type: 'meta' }, { universe: [perp('BTC'), perp('ETH')] });
    venue.feedEvent('trades_left_out', 1, 'venue_a.ws', ['ETH', 'SOL', '#10']);
    venue.feedEvent('trades_left_out', 2, 'venue_a.ws', ['ETH', 'SOL', '#10']);
    venue.answer({ type: 'meta' }, { universe: [perp('BTC'), perp('ETH'), perp('SOL')] }, 3);
    expect(listed()).toEqual(['BTC false', 'ETH false', 'ETH true', 'SOL true']);
    venue.stage.restart();
    venue.feedEvent('trades_left_out', 4, 'venue_a.ws', ['BTC', 'SOL']);
    expect(listed().slice(4).sort()).toEqual(['BTC true', 'ETH false']);
    expect(venue.stage.state.liveness.feeds.size).toBe(0);
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

  it('are matched with contexts by the longest known order, which a node that lags behind knows only in part', () => {
    const venue = driveVenueA();
    const send = (...names: string[]) => venue.answer({ type: 'meta' }, { universe: names.map((name) => perp(name)) });
    const order = () => venue.stage.state.universes.get('');
    send('BTC', 'ETH', 'NEW');
    send('BTC', 'ETH');
    expect(order()).toEqual(['BTC', 'ETH', 'NEW']);
    send('BTC', 'SOL');
    expect(order()).toEqual(['BTC', 'SOL']);
  });
});

describe('contracts', () => {
  const all = (contracts: readonly string[]) => [
    { universe: [perp('BTC')] },
    ...contracts.map((name) => ({ universe: [perp(name)] })),
  ];

  it('are delisted with the second list of all dexes that lacks them, and a coin of the main dex is not', () => {
    const venue = driveVenueA();
    const send = (contracts: readonly string[], at: number) =>
      venue.answer({ type: 'allPerpMetas' }, all(contracts), at);
    venue.answer({ type: 'meta' }, { universe: [perp('BTC'), perp('ETH')] });
    send(['abc:GOLD', 'xyz:GOLD'], 0);
    // These are from nodes that lag behind.
    send(['abc:GOLD'], 1);
    send(['abc:GOLD', 'xyz:GOLD'], 2);
    send(['abc:GOLD'], 10_001);
    // A dex that is requested alone says nothing about those of others.
    venue.answer({ type: 'meta', dex: 'abc' }, { universe: [perp('abc:GOLD')] }, 20_001);
    send([], 20_001);
    expect(instruments(venue).filter(({ delisted }) => delisted)).toEqual([]);
    send(['abc:GOLD'], 20_002);
    expect(instruments(venue).filter(({ delisted }) => delisted)).toMatchObject([
      { coin: 'xyz:GOLD', receivedAt: START + 20_002 },
    ]);
  });

  it('are delisted a minute after the list that lacks them if no list follows', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'allPerpMetas' }, all(['abc:GOLD', 'xyz:GOLD']));
    venue.answer({ type: 'allPerpMetas' }, all(['xyz:GOLD']), 1);
    venue.clock(60_001);
    expect(instruments(venue).slice(3)).toMatchObject([{ coin: 'abc:GOLD', delisted: true }]);
  });
});
