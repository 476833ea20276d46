import { describe, expect, it } from 'vitest';
import { type BookUpdate, bookTopics } from '#schemas/topics/normalised';
import { bookOf, driveVenueA, START } from './venue-a.fixture.ts';

const books = (venue: ReturnType<typeof driveVenueA>): BookUpdate[] => venue.stage.emittedTo(bookTopics.venue_a);

describe('a book', () => {
  it('is emitted completely, best levels first, without order counts', () => {
    const venue = driveVenueA();
    venue.frame(
      'l2Book',
      bookOf(
        'BTC',
        [
          ['70100.0', '1.50'],
          ['70099.5', '2'],
        ],
        [['70101.0', '0.1']],
      ),
      300,
      'venue_a.ws.2',
    );
    expect(books(venue)).toEqual([
      {
        provider: 'venue_a_perp',
        instrument: 'BTC',
        marketId: 'BTC',
        feed: 'venue_a.ws.2',
        ts: START,
        receivedAt: START + 300,
        snapshot: true,
        bids: [
          { price: '70100', size: '1.5' },
          { price: '70099.5', size: '2' },
        ],
        asks: [{ price: '70101', size: '0.1' }],
      },
    ]);
  });

  it('may be empty', () => {
    const venue = driveVenueA();
    venue.frame('l2Book', bookOf('abc:GOLD', [], []));
    expect(books(venue)).toMatchObject([{ provider: 'venue_a_dex', bids: [], asks: [] }]);
  });

  it('belongs to the market of the YES coin for both coins of an outcome', () => {
    const venue = driveVenueA();
    venue.frame('l2Book', bookOf('#71', [['0.4', '10']], []));
    expect(books(venue)).toMatchObject([{ provider: 'venue_a_outcome', instrument: '#71', marketId: '#70' }]);
  });

  it('is emitted from an answer unless the socket sent a newer one', () => {
    const venue = driveVenueA();
    const ask = { type: 'l2Book', coin: 'BTC' };
    venue.answer(ask, bookOf('BTC', [['1', '1']], [], START), 10);
    venue.frame('l2Book', bookOf('BTC', [['2', '1']], [], START + 20), 30);
    venue.answer(ask, bookOf('BTC', [['3', '1']], [], START + 19), 40);
    venue.answer(ask, bookOf('BTC', [['4', '1']], [], START + 20), 50);
    expect(books(venue).map(({ bids }) => bids[0]!.price)).toEqual(['1', '2', '4']);
  });

  it('is ignored in an answer if its levels are aggregated or the coin is unknown', () => {
    const venue = driveVenueA();
    const body = bookOf('BTC', [['1', '1']], []);
    venue.answer({ type: 'l2Book', coin: 'BTC', nSigFigs: 3 }, body);
    venue.answer({ type: 'l2Book', coin: 'NONE' }, null);
    expect(venue.stage.outputs).toEqual([]);
    expect(venue.stage.deadLetters).toEqual([]);
    venue.answer({ type: 'l2Book', coin: 'BTC', nSigFigs: null }, body);
    expect(books(venue)).toHaveLength(1);
  });

  it.each([
    ['data.levels', { levels: [[]] }],
    ['data.levels', { levels: 'none' }],
    ['data.levels[1]', { levels: [[], null] }],
    ['data.levels[1][0].px', { levels: [[], [{ sz: '1', n: 1 }]] }],
    [
      'data.levels[0][1].sz',
      {
        levels: [
          [
            { px: '1', sz: '1' },
            { px: '1', sz: '-2' },
          ],
          [],
        ],
      },
    ],
    ['data.coin', { coin: null }],
    ['data.time', { time: 'now' }],
  ])('is refused with a bad %s: %j', (field, change) => {
    const venue = driveVenueA();
    venue.frame('l2Book', { ...bookOf('BTC', [], []), ...change });
    expect(venue.stage.outputs).toEqual([]);
    expect(venue.stage.deadLetters).toMatchObject([{ reason: 'malformed_frame' }]);
    expect(venue.stage.deadLetters[0]!.detail.startsWith(`${field}: `)).toBe(true);
  });
});
