import { describe, expect, it } from 'vitest';
import { tradeTopics } from '#schemas/topics/normalised';
import { BUYER, driveVenueA, NO_HASH, SELLER, START, trade } from './venue-a.fixture.ts';

const trades = (venue: ReturnType<typeof driveVenueA>) => venue.stage.emittedTo(tradeTopics.venue_a);

describe('trades', () => {
  it('are emitted one by one under the key of their coin', () => {
    const venue = driveVenueA();
    venue.frame('trades', [trade()], 400);
    expect(venue.stage.outputs).toEqual([
      {
        topic: 'derived.trades.venue_a',
        key: 'BTC',
        value: {
          id: `venue_a_perp:BTC:${START}:11`,
          provider: 'venue_a_perp',
          marketId: 'BTC',
          instrument: 'BTC',
          outcome: null,
          ts: START,
          receivedAt: START + 400,
          arrival: 1,
          side: 'buy',
          price: '70100',
          qty: '0.25',
          usd: null,
          maker: SELLER,
          taker: BUYER,
          txHash: NO_HASH,
          logIndex: null,
          tradeId: '11',
          blockNumber: null,
          blockHash: null,
          orders: null,
          status: 'confirmed',
        },
      },
    ]);
  });

  it('have the seller as taker if the taker sold, and addresses in lower case', () => {
    const venue = driveVenueA();
    venue.frame('trades', [trade({ side: 'A', users: [BUYER.toUpperCase().replace('0X', '0x'), SELLER] })]);
    expect(trades(venue)[0]).toMatchObject({ side: 'sell', taker: SELLER, maker: BUYER });
  });

  it('belong to the market of the YES coin for outcomes, and have the name of their side once it is known', () => {
    const venue = driveVenueA();
    venue.frame('trades', [trade({ coin: '#71', tid: 1 })]);
    venue.answer(
      { type: 'outcomeMeta' },
      { outcomes: [{ outcome: 7, name: 'Cup', description: '', sideSpecs: [{ name: 'Lions' }, { name: 'Tigers' }] }] },
    );
    venue.frame('trades', [trade({ coin: '#71', tid: 2 })]);
    expect(trades(venue)).toMatchObject([
      { provider: 'venue_a_outcome', marketId: '#70', instrument: '#71', outcome: null },
      { provider: 'venue_a_outcome', marketId: '#70', instrument: '#71', outcome: 'Tigers' },
    ]);
  });

  it('are emitted once, also when a new connection replays them', () => {
    const venue = driveVenueA();
    venue.frame('trades', [trade({ tid: 1 }), trade({ tid: 2 })]);
    venue.feedEvent('disconnected', 10);
    venue.feedEvent('connected', 20);
    venue.stage.restart();
    venue.frame('trades', [trade({ tid: 1 }), trade({ tid: 2 }), trade({ tid: 3, time: START + 5 })], 30);
    expect(trades(venue).map(({ tradeId, arrival }) => [tradeId, arrival])).toEqual([
      ['1', 1],
      ['2', 2],
      ['3', 3],
    ]);
  });

  it('are emitted oldest first from an answer, without those emitted before', () => {
    const venue = driveVenueA();
    venue.frame('trades', [trade({ tid: 2, time: START + 2 })]);
    const newestFirst = [4, 3, 2].map((tid) => trade({ tid, time: START + tid }));
    venue.answer({ type: 'recentTrades', coin: 'BTC' }, newestFirst, 50);
    expect(trades(venue).map(({ tradeId }) => tradeId)).toEqual(['2', '3', '4']);
  });

  it('are read with integers as text, and without users in old recordings', () => {
    const venue = driveVenueA();
    venue.frame('trades', [trade({ time: String(START), tid: '990011', users: undefined })]);
    expect(trades(venue)[0]).toMatchObject({ ts: START, tradeId: '990011', maker: null, taker: null });
  });

  it.each([
    ['coin', { coin: '' }],
    ['side', { side: 'buy' }],
    ['px', { px: 70_100 }],
    ['px', { px: '7e4' }],
    ['sz', { sz: '-1' }],
    ['time', { time: 1.5 }],
    ['tid', { tid: null }],
    ['hash', { hash: undefined }],
    ['users', { users: [BUYER] }],
  ])('are refused completely with the name of the field if one has a bad %s: %j', (field, change) => {
    const venue = driveVenueA();
    venue.frame('trades', [trade({ tid: 1 }), trade({ tid: 2, ...change })]);
    expect(venue.stage.outputs).toEqual([]);
    expect(venue.stage.deadLetters).toMatchObject([{ topic: 'raw.venue_a.ws', reason: 'malformed_frame' }]);
    expect(venue.stage.deadLetters[0]!.detail).toMatch(new RegExp(`^data\\[1\\]\\.${field}\\b`));
    venue.frame('trades', [trade({ tid: 1 })]);
    expect(trades(venue)).toMatchObject([{ tradeId: '1', arrival: 1 }]);
  });
});
