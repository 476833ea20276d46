import { describe, expect, it } from 'vitest';
import { consensusScore } from '#schemas/domain/consensus-score';
import type { EventLink } from '#schemas/topics/derived';
import { driveProfitable, driveSpreads, event, link, REMOVED, sizeFrom } from './spreads.fixture.ts';

describe('a closed or resolved market', () => {
  /** Creates the event with its market of venue_b in a state. */
  const eventWith = (marketState: EventLink['marketState'], changes: Partial<EventLink> = {}) =>
    event({ receivedAt: 2000, links: [link('venue_a_outcome'), link('venue_b', { marketState, ...changes })] });
  const bothMarkets = (marketState: EventLink['marketState']) => [
    link('venue_a_outcome', { marketState }),
    link('venue_b', { marketState }),
  ];
  const noPrices = { yesBid: null, yesAsk: null, yesMid: null, live: false };

  it.each(['closed', 'resolved'] as const)('ends arbitrage and its signals at once when it is %s', (marketState) => {
    const all = driveProfitable();
    const { arbitrageHeads, arbitrages, signals, heads } = all.link(eventWith(marketState));
    expect(arbitrageHeads).toEqual([REMOVED]);
    expect(signals).toMatchObject([{ kind: 'cross_provider', decayedAt: 2000, endedAt: 2000 }]);
    expect(arbitrages).toEqual([]);
    const [head] = heads;
    expect(head!.legs).toMatchObject([
      { yesMid: '0.57', live: true, state: 'live' },
      { ...noPrices, state: marketState, bookAt: 1020 },
    ]);
    expect(consensusScore(head!.legs)).toBeNull();
    all.probe.restart();
    for (const at of [5000, 10_000]) expect(all.tick(at)).toMatchObject({ arbitrages: [], arbitrageHeads: [] });
  });

  it('publishes the spread once when its mid price becomes unknown, and once when it is known again', () => {
    const all = driveProfitable();
    const cause = { causeProvider: 'venue_b', causeMarketId: '0xc' };
    const closed = all.link(eventWith('closed'));
    expect(closed.spreads).toMatchObject([{ ...cause, receivedAt: 2000, legs: [{ yesMid: '0.57' }, noPrices] }]);
    // Its mid price was unknown before.
    expect(all.link(eventWith('resolved'))).toMatchObject({
      heads: [{ legs: [{}, { state: 'resolved' }] }],
      spreads: [],
    });
    expect(all.tick(5000).spreads).toEqual([]);
    expect(all.link(eventWith('open')).spreads).toMatchObject([{ ...cause, legs: [{}, { yesMid: '0.49' }] }]);
    expect(all.tick(10_000).spreads).toEqual([]);
  });

  it('publishes the spread also when the last known mid price becomes unknown', () => {
    const all = driveProfitable();
    all.link(eventWith('closed'));
    const { spreads } = all.link(event({ status: 'closed', links: bothMarkets('closed') }));
    expect(spreads).toMatchObject([{ causeProvider: 'venue_a_outcome', legs: [noPrices, noPrices] }]);
  });

  it('ignores the books and statuses that still arrive for it', () => {
    const all = driveProfitable();
    all.link(eventWith('resolved'));
    const nothing = { bookHeads: [], heads: [], spreads: [], arbitrages: [], arbitrageHeads: [], signals: [] };
    expect(all.book('b-yes', 2010, [['0.1', '500']], [['0.2', '500']])).toEqual(nothing);
    expect(all.book('b-no', 2011, [['0.1', '500']], [['0.2', '500']])).toEqual(nothing);
    expect(all.status('b-no', 2012)).toEqual(nothing);
    expect(all.status('b-yes', 2013, 'stale')).toEqual(nothing);
    expect(all.status('b-yes', 2014)).toEqual(nothing);
    expect(all.tick(5000)).toEqual(nothing);
    // Only the open leg still changes.
    expect(all.book('#70', 6000, [['0.9', '500']], [['0.95', '500']])).toMatchObject({
      heads: [{ legs: [{ yesBid: '0.9' }, noPrices] }],
      arbitrageHeads: [],
    });
  });

  it('quotes it again from its newest book when its resolution is reverted', () => {
    const all = driveProfitable();
    all.link(eventWith('resolved'));
    all.book('b-yes', 2010, [['0.3', '500']], [['0.4', '500']]);
    all.probe.restart();
    const { heads, arbitrages } = all.link({ ...eventWith('open'), receivedAt: 3000 });
    expect(heads).toMatchObject([{ legs: [{}, { yesBid: '0.3', yesAsk: '0.4', live: true, bookAt: 2010 }] }]);
    expect(arbitrages).toMatchObject([{ firstMarketId: '0xc', firstPrice: '0.4', receivedAt: 3000 }]);
  });

  it('quotes it again also when its resolution was the last of the event', () => {
    const all = driveProfitable();
    all.link(eventWith('resolved'));
    all.link(event({ status: 'resolved', links: bothMarkets('resolved') }));
    expect(
      all.link(event({ links: [link('venue_a_outcome', { marketState: 'resolved' }), link('venue_b')] })),
    ).toMatchObject({
      heads: [{ legs: [noPrices, { yesMid: '0.49', live: true }] }],
      arbitrageHeads: [],
    });
    expect(all.link(event()).arbitrages).toMatchObject([{ firstPrice: '0.5', secondPrice: '0.56' }]);
  });

  it('excludes it from arbitrage also when its fee or the size changes', () => {
    const all = driveProfitable(sizeFrom(4000, '200'));
    all.link(eventWith('closed'));
    expect(all.link(eventWith('closed', { takerFeeRate: '0.01' })).arbitrageHeads).toEqual([]);
    expect(all.tick(4000).arbitrageHeads).toEqual([]);
    const reopened = all.link({ ...eventWith('open'), receivedAt: 4001 });
    expect(reopened.arbitrages).toMatchObject([{ size: '200', firstPrice: '0.5' }]);
  });

  it('does not affect another event with a leg on the same book', () => {
    const all = driveProfitable();
    all.link(event({ universalId: 'evt_2' }));
    all.link(eventWith('resolved'));
    const { heads, arbitrageHeads } = all.book('b-yes', 3000, [['0.48', '500']], [['0.51', '500']]);
    expect(heads).toMatchObject([{ universalId: 'evt_2', legs: [{}, { yesAsk: '0.51' }] }]);
    expect(arbitrageHeads.map(({ key }) => key)).toEqual(['evt_2:cross_provider']);
  });

  it('quotes the other legs of its event among themselves', () => {
    const all = driveSpreads();
    const links = (marketState: EventLink['marketState']) => [
      link('venue_a_outcome'),
      link('venue_b', { marketState }),
      link('venue_b', { providerMarketId: '0xd', yesInstrument: 'd-yes', noInstrument: null }),
    ];
    all.link(event({ links: links('open') }));
    for (const [instrument, bid, ask] of [
      ['#70', '0.56', '0.58'],
      ['b-yes', '0.48', '0.5'],
      ['d-yes', '0.5', '0.52'],
    ] as const) {
      all.status(instrument, 1000);
      all.book(instrument, 1001, [[bid, '500']], [[ask, '500']]);
    }
    expect(all.link(event({ links: links('resolved') })).arbitrages).toMatchObject([
      { firstMarketId: '0xd', firstPrice: '0.52' },
    ]);
  });
});
