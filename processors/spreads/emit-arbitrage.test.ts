import { describe, expect, it } from 'vitest';
import {
  driveProfitable,
  driveSpreads,
  event,
  type Levels,
  link,
  REMOVED,
  type SpreadsDriver,
} from './spreads.fixture.ts';

describe('arbitrage', () => {
  it('emits the arbitrage between two venues with fees and depth', () => {
    const { last } = driveProfitable();
    expect(last.arbitrages).toEqual([
      {
        universalId: 'evt_1',
        receivedAt: 1020,
        kind: 'cross_provider',
        size: '100',
        grossEdge: '0.06',
        // 0.56 − 0.5 − 0.56 · 0.0007
        netEdge: '0.059608',
        quoteAgeMs: 10,
        firstProvider: 'venue_b',
        firstMarketId: '0xc',
        firstPrice: '0.5',
        firstFee: '0',
        secondProvider: 'venue_a_outcome',
        secondMarketId: '#70',
        secondPrice: '0.56',
        secondFee: '0.000392',
        causeProvider: 'venue_b',
        causeMarketId: '0xc',
      },
    ]);
    expect(last.arbitrageHeads.map(({ key }) => key)).toEqual(['evt_1:cross_provider']);
  });

  it('floors the fee of venue_b at every level', () => {
    const all = driveProfitable();
    all.link(event({ links: [link('venue_a_outcome'), link('venue_b', { takerFeeRate: '0.07' })] }));
    const asks: Levels = [
      ['0.5', '33.3333'],
      ['0.501', '500'],
    ];
    const { arbitrages } = all.book('b-yes', 2000, [['0.48', '500']], asks);
    // floor5(0.07·33.3333·0.25) + floor5(0.07·66.6667·0.501·0.499) = 0.58333 + 1.16666, over 100 shares.
    expect(arbitrages).toMatchObject([{ firstFee: '0.0174999', firstPrice: '0.500666667' }]);
  });

  it('pairs YES of one venue with NO of the other', () => {
    const all = driveProfitable();
    all.book('#71', 1030, [], [['0.4', '100']]);
    const { arbitrages } = all.status('#71', 1030);
    expect(arbitrages).toMatchObject([
      {
        kind: 'negation_pair',
        firstMarketId: '0xc',
        secondMarketId: '#70',
        grossEdge: '0.1',
        netEdge: '0.09972',
        quoteAgeMs: 10,
      },
    ]);
  });

  it('buys the NO token of an inverse market, which pays if the event is YES', () => {
    const all = driveProfitable();
    const links = [link('venue_a_outcome', { polarity: 'inverse' }), link('venue_b')];
    all.book('#71', 1030, [], [['0.3', '100']]);
    all.book('b-no', 1030, [], [['0.45', '100']]);
    for (const instrument of ['#71', 'b-no']) all.status(instrument, 1030);
    const negation = all.link(event({ links })).arbitrageHeads.find(({ key }) => key === 'evt_1:negation_pair');
    // 1 − 0.3 − 0.45 − 0.3 · 0.0007; the YES book of the inverse market would ask 1 − 0.56.
    expect(negation?.value).toMatchObject({
      firstMarketId: '#70',
      firstPrice: '0.3',
      firstFee: '0.00021',
      secondMarketId: '0xc',
      secondPrice: '0.45',
      grossEdge: '0.25',
      netEdge: '0.24979',
    });
  });

  it('emits a record below zero only as a head', () => {
    const all = driveProfitable();
    const { arbitrages, arbitrageHeads } = all.book('b-yes', 2000, [['0.55', '500']], [['0.57', '500']]);
    expect(arbitrages).toEqual([]);
    expect(arbitrageHeads).toMatchObject([{ value: { netEdge: '-0.010392', grossEdge: '-0.01' } }]);
    expect(all.tick(5000).arbitrages).toEqual([]);
  });

  it.each([
    ['a leg turns stale', (all: SpreadsDriver) => all.status('#70', 2000, 'stale')],
    ['a leg awaits a snapshot', (all: SpreadsDriver) => all.status('#70', 2000, 'recovering')],
    ['a book has less than the size', (all: SpreadsDriver) => all.book('#70', 2000, [['0.56', '99.999999']], [])],
    [
      'a fee becomes unknown',
      (all: SpreadsDriver) =>
        all.link(event({ links: [link('venue_a_outcome'), link('venue_b', { takerFeeRate: null })] })),
    ],
    ['a market ends', (all: SpreadsDriver) => all.end('#70', 2000)],
    ['the event is resolved', (all: SpreadsDriver) => all.link(event({ status: 'resolved' }))],
    ['the event is merged', (all: SpreadsDriver) => all.link(event({ mergedInto: 'evt_0', links: [] }))],
  ])('removes the record once when %s', (_, change) => {
    const all = driveProfitable();
    const { arbitrageHeads, arbitrages } = change(all);
    expect(arbitrageHeads).toEqual([REMOVED]);
    expect(arbitrages).toEqual([]);
    expect(all.tick(5000)).toMatchObject({ arbitrages: [], arbitrageHeads: [] });
  });

  it('treats a leg as live again when its connection is', () => {
    const all = driveProfitable();
    expect(all.status('#70', 2000, 'stale').heads[0]!.legs[0]!.live).toBe(false);
    const { heads, arbitrages } = all.status('#70', 3000);
    expect(heads[0]!.legs[0]!.live).toBe(true);
    expect(arbitrages).toHaveLength(1);
  });

  it('does not pair two markets of one provider', () => {
    const all = driveSpreads();
    all.link(event({ links: [link('venue_b'), link('venue_b', { providerMarketId: '0xd', yesInstrument: 'd-yes' })] }));
    for (const [instrument, price] of [
      ['b-yes', '0.3'],
      ['d-yes', '0.6'],
    ] as const) {
      all.status(instrument, 1000);
      expect(all.book(instrument, 1001, [[price, '900']], [[price, '900']]).arbitrageHeads).toEqual([]);
    }
  });

  it('emits a profitable record at every tick with its current age, and between ticks only when it changed', () => {
    const all = driveProfitable();
    expect(all.tick(5000).arbitrages).toMatchObject([{ quoteAgeMs: 3990, causeProvider: null, netEdge: '0.059608' }]);
    expect(all.tick(10_000).arbitrages).toMatchObject([{ quoteAgeMs: 8990 }]);
    expect(all.tick(12_000, false).arbitrages).toEqual([]);
    expect(all.book('#70', 12_001, [['0.2', '3']], [], false).arbitrages).toEqual([]);
    expect(all.book('#70', 12_002, [['0.57', '100']], [], false).arbitrages).toMatchObject([{ secondPrice: '0.57' }]);
  });

  it('updates the age in the head at the next tick when a book was confirmed without a change', () => {
    const all = driveProfitable();
    expect(all.tick(5000).arbitrageHeads).toEqual([]);
    all.book('#70', 6000, [['0.2', '3']], [], false);
    // The other book is the older one now.
    expect(all.tick(10_000).arbitrageHeads).toMatchObject([{ value: { quoteAgeMs: 8980, receivedAt: 10_000 } }]);
    expect(all.tick(15_000).arbitrageHeads).toEqual([]);
  });
});
