import { describe, expect, it } from 'vitest';
import { instrumentTopics } from '#schemas/topics/normalised';
import { driveVenueA, START } from './venue-a.fixture.ts';

const instruments = (venue: ReturnType<typeof driveVenueA>) => venue.stage.emittedTo(instrumentTopics.venue_a);

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

  it('are delisted with the second list that lacks them, and listed again when one contains them', () => {
    const venue = driveVenueA();
    const [first, second] = meta.universe;
    const send = (universe: readonly unknown[], at: number) =>
      venue.answer({ type: 'spotMeta' }, { ...meta, universe }, at);
    send([first, second], 0);
    // This list is from a node that lags behind, or was read from one a moment later.
    send([first], 1);
    send([first, second], 2);
    send([first], 10_001);
    venue.stage.restart();
    send([], 20_001);
    send([first], 20_001);
    send([second, first], 20_002);
    expect(instruments(venue).map(({ coin, delisted, receivedAt }) => `${coin} ${delisted} ${receivedAt}`)).toEqual([
      `AAA/USD false ${START}`,
      `@44 false ${START}`,
      `@44 true ${START + 20_001}`,
      `@44 false ${START + 20_002}`,
    ]);
  });

  it('are delisted a minute after the list that lacks them if no list follows, as when unchanged ones are left out', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'spotMeta' }, meta);
    venue.answer({ type: 'spotMeta' }, { ...meta, universe: meta.universe.slice(0, 1) }, 1);
    venue.clock(60_000);
    expect(instruments(venue)).toHaveLength(2);
    venue.clock(60_001);
    expect(instruments(venue).slice(2)).toMatchObject([{ coin: '@44', delisted: true, receivedAt: START + 60_001 }]);
  });

  it('end no perpetual, which no list of pairs contains', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'meta' }, { universe: [{ name: 'BTC', szDecimals: 5, maxLeverage: 40 }] });
    venue.answer({ type: 'spotMeta' }, meta, 1);
    expect(instruments(venue).filter(({ delisted }) => delisted)).toEqual([]);
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
