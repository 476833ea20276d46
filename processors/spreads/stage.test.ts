import { describe, expect, it } from 'vitest';
import { consensusScore } from '#schemas/domain/consensus-score';
import { DecimalError } from '#schemas/domain/decimal';
import { aLink, anEvent } from '#schemas/testing/records.fixture';
import { arbitrageSignalTopic } from '#schemas/topics/arbitrage-signals';
import { clockTopic } from '#schemas/topics/control';
import {
  arbitrageHeadTopic,
  arbitrageTopic,
  type EventLink,
  eventTopic,
  spreadHeadTopic,
  spreadTopic,
  type UniversalEvent,
} from '#schemas/topics/derived';
import { type BookUpdate, bookTopics, type MarketStatus, statusTopics } from '#schemas/topics/normalised';
import { stageOverTime } from '../settings/over-time.ts';
import { emittedTo, probeStage } from '../testing/stage-probe.fixture.ts';
import type { FeeModel } from './fees/fee-model.ts';
import { FEE_MODELS } from './fees/fee-models.ts';
import { createSpreadsStage } from './stage.ts';
import { UNLINKED_MAX } from './state.ts';

type Levels = readonly (readonly [price: string, size: string])[];
const levels = (pairs: Levels) => pairs.map(([price, size]) => ({ price, size }));

function link(provider: 'venue_a_outcome' | 'venue_b', changes: Partial<EventLink> = {}): EventLink {
  const isB = provider === 'venue_b';
  return aLink({
    provider,
    providerMarketId: isB ? '0xc' : '#70',
    yesInstrument: isB ? 'b-yes' : '#70',
    noInstrument: isB ? 'b-no' : '#71',
    takerFeeRate: isB ? '0' : '0.0007',
    ...changes,
  });
}

const event = (changes: Partial<UniversalEvent> = {}) =>
  anEvent({ links: [link('venue_a_outcome'), link('venue_b')], ...changes });

const ofSize = (arbitrageSize: string) => createSpreadsStage({ arbitrageSize });

function harness(stage = ofSize('100')) {
  const probe = probeStage(stage);
  const venueOf = (instrument: string) => (instrument.startsWith('#') ? 'venue_a' : 'venue_b');
  const sort = (outputs: ReturnType<typeof probe.remove>) => ({
    heads: emittedTo(outputs, spreadHeadTopic),
    spreads: emittedTo(outputs, spreadTopic),
    arbitrageHeads: outputs.filter(({ topic }) => topic === arbitrageHeadTopic.name),
    arbitrages: emittedTo(outputs, arbitrageTopic),
  });
  const common = (instrument: string, receivedAt: number) => ({
    provider: venueOf(instrument) === 'venue_a' ? 'venue_a_outcome' : 'venue_b',
    instrument,
    marketId: null,
    feed: 'f',
    receivedAt,
  });
  return {
    probe,
    link: (record: UniversalEvent) => sort(probe.send(eventTopic, record.universalId, record)),
    book: (instrument: string, at: number, bids: Levels, asks: Levels, snapshot = true) =>
      sort(
        probe.send(bookTopics[venueOf(instrument)], instrument, {
          ...common(instrument, at),
          ts: at,
          snapshot,
          bids: levels(bids),
          asks: levels(asks),
        } satisfies BookUpdate),
      ),
    status: (instrument: string, at: number, state: MarketStatus['state'] = 'live') =>
      sort(probe.send(statusTopics[venueOf(instrument)], instrument, { ...common(instrument, at), state, since: at })),
    end: (instrument: string, at: number) => sort(probe.remove(statusTopics[venueOf(instrument)], instrument, at)),
    tick: (at: number, tick = true) =>
      sort(probe.send(clockTopic, 'clock', { receivedAt: at, tick, hour: false, day: false })),
  };
}

/** Creates an event with two live YES books and a profit: buy on venue_b at 0.50, sell on venue_a at 0.56. */
function profitable(stage = ofSize('100')) {
  const all = harness(stage);
  all.link(event());
  all.book('#70', 1010, [['0.56', '500']], [['0.58', '500']]);
  all.status('#70', 1010);
  all.book('b-yes', 1020, [['0.48', '500']], [['0.5', '500']]);
  const last = all.status('b-yes', 1020);
  return { ...all, last };
}

describe('the spreads stage', () => {
  it('rejects a size that is not above zero', () => {
    expect(() => createSpreadsStage({ arbitrageSize: '0' })).toThrow(RangeError);
    expect(() => createSpreadsStage({ arbitrageSize: '1e2' })).toThrow(DecimalError);
  });

  it('emits a leg for every used link, sorted, with nulls for unknown values', () => {
    const { link: sendEvent } = harness();
    const { heads, spreads } = sendEvent(
      event({
        links: [link('venue_a_outcome'), link('venue_b', { used: false, providerMarketId: '0xb' }), link('venue_b')],
      }),
    );
    expect(heads).toHaveLength(1);
    expect(heads[0]!.legs).toEqual([
      {
        provider: 'venue_a_outcome',
        marketId: '#70',
        yesBid: null,
        yesAsk: null,
        yesMid: null,
        live: false,
        bookAt: null,
        state: null,
      },
      {
        provider: 'venue_b',
        marketId: '0xc',
        yesBid: null,
        yesAsk: null,
        yesMid: null,
        live: false,
        bookAt: null,
        state: null,
      },
    ]);
    expect(spreads).toEqual([]);
  });

  it('uses books that came before their event', () => {
    const all = harness();
    all.book('b-yes', 1000, [['0.4', '1']], [['0.6', '1']]);
    all.status('b-yes', 1001);
    const { heads } = all.link(event());
    expect(heads[0]!.legs[1]).toMatchObject({ yesBid: '0.4', yesAsk: '0.6', yesMid: '0.5', live: true, bookAt: 1000 });
    expect(all.tick(5000).spreads).toMatchObject([{ causeProvider: null, causeMarketId: null, receivedAt: 5000 }]);
    expect(all.tick(10_000).spreads).toEqual([]);
  });

  it('inverts the book of an inverse link to 1 − p', () => {
    const all = harness();
    all.link(event({ links: [link('venue_a_outcome'), link('venue_b', { polarity: 'inverse' })] }));
    const { heads } = all.book('b-yes', 1010, [['0.3', '9']], [['0.35', '9']]);
    expect(heads[0]!.legs[1]).toMatchObject({ yesBid: '0.65', yesAsk: '0.7', yesMid: '0.675' });
  });

  it('emits a head for every change of the best prices and none for deeper levels', () => {
    const all = harness();
    all.link(event());
    expect(all.book('b-yes', 1010, [['0.4', '1']], [['0.6', '1']]).heads).toHaveLength(1);
    expect(all.book('b-yes', 1011, [['0.3', '5']], [], false).heads).toEqual([]);
    expect(all.book('b-yes', 1012, [['0.4', '7']], [], false).heads).toEqual([]);
    const { heads } = all.book('b-yes', 1013, [['0.4', '0']], [], false);
    expect(heads[0]).toMatchObject({ causeProvider: 'venue_b', causeMarketId: '0xc', receivedAt: 1013 });
    expect(heads[0]!.legs[1]).toMatchObject({ yesBid: '0.3', yesMid: '0.45' });
  });

  it('publishes when a mid price moved by 0.005 since the last publication, and not by less', () => {
    const all = harness();
    all.link(event());
    expect(all.book('b-yes', 1010, [['0.4', '1']], [['0.6', '1']]).spreads).toHaveLength(1);
    expect(all.book('b-yes', 1011, [['0.4', '1']], [['0.6099', '1']]).spreads).toEqual([]);
    expect(all.tick(5000).spreads).toEqual([]);
    // Small moves add up: the distance from the published value counts.
    const { spreads } = all.book('b-yes', 5001, [['0.4', '1']], [['0.61', '1']]);
    expect(spreads).toMatchObject([{ causeProvider: 'venue_b', causeMarketId: '0xc' }]);
    expect(all.book('b-yes', 5002, [['0.391', '1']], [['0.61', '1']]).spreads).toEqual([]);
    expect(all.book('b-yes', 5003, [['0.39', '1']], [['0.61', '1']]).spreads).toHaveLength(1);
  });

  it('publishes when a mid price becomes known or unknown', () => {
    const all = harness();
    all.link(event());
    expect(all.book('b-yes', 1010, [['0.4', '1']], []).spreads).toEqual([]);
    expect(all.book('b-yes', 1011, [], [['0.6', '1']], false).spreads).toHaveLength(1);
    expect(all.book('b-yes', 1012, [['0.4', '0']], [], false).spreads).toHaveLength(1);
    expect(all.book('b-yes', 1013, [], [['0.5', '1']], false).spreads).toEqual([]);
  });

  it('emits the arbitrage between two venues with fees and depth', () => {
    const { last } = profitable();
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
    const all = profitable();
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
    const all = profitable();
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

  it('emits a record below zero only as a head', () => {
    const all = profitable();
    const { arbitrages, arbitrageHeads } = all.book('b-yes', 2000, [['0.55', '500']], [['0.57', '500']]);
    expect(arbitrages).toEqual([]);
    expect(arbitrageHeads).toMatchObject([{ value: { netEdge: '-0.010392', grossEdge: '-0.01' } }]);
    expect(all.tick(5000).arbitrages).toEqual([]);
  });

  it.each([
    ['a leg turns stale', (all: ReturnType<typeof profitable>) => all.status('#70', 2000, 'stale')],
    ['a leg awaits a snapshot', (all: ReturnType<typeof profitable>) => all.status('#70', 2000, 'recovering')],
    [
      'a book has less than the size',
      (all: ReturnType<typeof profitable>) => all.book('#70', 2000, [['0.56', '99.999999']], []),
    ],
    [
      'a fee becomes unknown',
      (all: ReturnType<typeof profitable>) =>
        all.link(event({ links: [link('venue_a_outcome'), link('venue_b', { takerFeeRate: null })] })),
    ],
    ['a market ends', (all: ReturnType<typeof profitable>) => all.end('#70', 2000)],
    ['the event is resolved', (all: ReturnType<typeof profitable>) => all.link(event({ status: 'resolved' }))],
    [
      'the event is merged',
      (all: ReturnType<typeof profitable>) => all.link(event({ mergedInto: 'evt_0', links: [] })),
    ],
  ])('removes the record once when %s', (_, change) => {
    const all = profitable();
    const { arbitrageHeads, arbitrages } = change(all);
    expect(arbitrageHeads).toEqual([{ topic: arbitrageHeadTopic.name, key: 'evt_1:cross_provider', value: null }]);
    expect(arbitrages).toEqual([]);
    expect(all.tick(5000)).toMatchObject({ arbitrages: [], arbitrageHeads: [] });
  });

  it('treats a leg as live again when its connection is', () => {
    const all = profitable();
    expect(all.status('#70', 2000, 'stale').heads[0]!.legs[0]!.live).toBe(false);
    const { heads, arbitrages } = all.status('#70', 3000);
    expect(heads[0]!.legs[0]!.live).toBe(true);
    expect(arbitrages).toHaveLength(1);
  });

  it('emits a head whenever the state of a leg changes, without publishing it', () => {
    const all = profitable();
    const stateOf = ({ heads }: ReturnType<typeof all.status>) => heads.map((head) => head?.legs[0]?.state);
    for (const state of ['stale', 'venue_down', 'recovering', 'live'] as const) {
      const outputs = all.status('#70', 2000, state);
      expect(stateOf(outputs)).toEqual([state]);
      expect(outputs.heads[0]!.legs[0]).toMatchObject({ yesMid: '0.57', live: state === 'live', bookAt: 1010 });
      expect(outputs.spreads).toEqual([]);
      expect(all.status('#70', 2001, state).heads).toEqual([]);
      all.probe.restart();
    }
    expect(all.tick(5000)).toMatchObject({ heads: [], spreads: [] });
    // The market ended, so its book is unknown, which is published.
    const ended = all.end('#70', 6000);
    expect(stateOf(ended)).toEqual([null]);
    expect(ended.spreads).toMatchObject([{ legs: [{ yesMid: null, bookAt: null, state: null }, {}] }]);
  });

  it('knows the state of a leg from before its event', () => {
    const all = harness();
    all.status('b-yes', 1000, 'venue_down');
    all.status('b-yes', 1001, 'recovering');
    const state = (at: number) => all.probe.send(eventTopic, 'evt_1', event({ receivedAt: at }));
    const [head] = emittedTo(state(2000), spreadHeadTopic);
    expect(head!.legs).toMatchObject([{ state: null }, { state: 'recovering', live: false, bookAt: null }]);
    // Known also after the event was merged away.
    all.link(event({ mergedInto: 'evt_0', links: [] }));
    const [again] = emittedTo(state(3000), spreadHeadTopic);
    expect(again!.legs[1]).toMatchObject({ state: 'recovering' });
  });

  it('does not pair two markets of one provider', () => {
    const all = harness();
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
    const all = profitable();
    expect(all.tick(5000).arbitrages).toMatchObject([{ quoteAgeMs: 3990, causeProvider: null, netEdge: '0.059608' }]);
    expect(all.tick(10_000).arbitrages).toMatchObject([{ quoteAgeMs: 8990 }]);
    expect(all.tick(12_000, false).arbitrages).toEqual([]);
    expect(all.book('#70', 12_001, [['0.2', '3']], [], false).arbitrages).toEqual([]);
    expect(all.book('#70', 12_002, [['0.57', '100']], [], false).arbitrages).toMatchObject([{ secondPrice: '0.57' }]);
  });

  it('updates the age in the head at the next tick when a book was confirmed without a change', () => {
    const all = profitable();
    expect(all.tick(5000).arbitrageHeads).toEqual([]);
    all.book('#70', 6000, [['0.2', '3']], [], false);
    // The other book is the older one now.
    expect(all.tick(10_000).arbitrageHeads).toMatchObject([{ value: { quoteAgeMs: 8980, receivedAt: 10_000 } }]);
    expect(all.tick(15_000).arbitrageHeads).toEqual([]);
  });

  it('emits nothing when an event comes again with the same legs', () => {
    const all = profitable();
    expect(all.link(event({ lastSeenAt: 9000, status: 'closed' }))).toMatchObject({ heads: [], arbitrageHeads: [] });
  });

  it('emits a last head without prices for a resolved event, and removes that of a merged one', () => {
    const all = profitable();
    const { heads } = all.link(event({ status: 'resolved' }));
    expect(heads).toHaveLength(1);
    expect(heads[0]!.legs.every(({ yesBid, yesAsk, live }) => yesBid === null && yesAsk === null && !live)).toBe(true);
    expect(all.book('b-yes', 3000, [['0.4', '1']], []).heads).toEqual([]);
    expect(profitable().link(event({ mergedInto: 'evt_0' })).heads).toEqual([null]);
  });

  it('removes the head of a resolved event once it is archived', () => {
    const all = profitable();
    all.link(event({ status: 'resolved' }));
    const outputs = all.probe.remove(eventTopic, event().universalId, 9_000);
    expect(outputs).toMatchObject([{ topic: spreadHeadTopic.name, key: event().universalId, value: null }]);
  });

  it('emits the legs also of an event that is resolved when it is first seen', () => {
    const all = harness();
    all.book('b-yes', 1000, [['0.4', '1']], [['0.6', '1']]);
    const { heads } = all.link(event({ status: 'resolved' }));
    expect(heads).toMatchObject([
      {
        legs: [
          { marketId: '#70', live: false },
          { marketId: '0xc', yesBid: null },
        ],
      },
    ]);
  });

  it('ignores books of asset prices and removals of unknown events', () => {
    const all = harness();
    all.link(event({ links: [link('venue_a_outcome', { yesInstrument: 'BTC' }), link('venue_b')] }));
    const book = { provider: 'venue_a_perp', instrument: 'BTC', marketId: null, feed: 'f', receivedAt: 2000 };
    expect(
      all.probe.send(bookTopics.venue_a, 'BTC', {
        ...book,
        ts: 1,
        snapshot: true,
        bids: [],
        asks: levels([['1', '1']]),
      }),
    ).toEqual([]);
    expect(all.link(event({ universalId: 'evt_9', mergedInto: 'evt_1', links: [] })).heads).toEqual([]);
    expect(all.end('b-unknown', 3000).heads).toEqual([]);
  });

  it('does not change its books when a frame is malformed', () => {
    const all = profitable();
    expect(() => all.book('b-yes', 2000, [['0.5', '-1']], [], false)).toThrow('negative size');
    expect(all.tick(5000).arbitrages).toMatchObject([{ firstPrice: '0.5' }]);
  });

  it('continues unchanged after a restart', () => {
    const plain = profitable();
    const restarted = profitable();
    restarted.probe.restart();
    for (const all of [plain, restarted]) all.book('#70', 3000, [['0.57', '100']], [], false);
    expect(restarted.tick(5000)).toEqual(plain.tick(5000));
  });

  it('quotes everything again when another size becomes valid, and only from then on', () => {
    const changing = () =>
      profitable(
        stageOverTime([
          { from: 0, stage: ofSize('100') },
          { from: 3000, stage: ofSize('400') },
        ]),
      );
    const [all, restarted] = [changing(), changing()];
    restarted.probe.restart();
    for (const one of [all, restarted]) {
      // Before: the deeper levels are out of reach.
      one.book(
        '#70',
        1500,
        [
          ['0.56', '300'],
          ['0.5', '300'],
        ],
        [['0.58', '500']],
      );
      expect(one.tick(2999).arbitrages).toMatchObject([{ size: '100', secondPrice: '0.56' }]);
    }
    // 300 at 0.56 and 100 at 0.5; the first tick with the new size emits it without a book change.
    const emitted = all.tick(3000);
    expect(emitted.arbitrageHeads.map(({ value }) => value)).toMatchObject([
      { size: '400', secondPrice: '0.545', firstPrice: '0.5' },
    ]);
    expect(restarted.tick(3000)).toEqual(emitted);
    expect(all.book('b-yes', 4000, [], [['0.49', '400']], false).arbitrages).toMatchObject([
      { size: '400', firstPrice: '0.49' },
    ]);
  });

  it('emits a larger size also if no price changes', () => {
    const all = profitable(
      stageOverTime([
        { from: 0, stage: ofSize('100') },
        { from: 3000, stage: ofSize('200') },
      ]),
    );
    expect(all.tick(3000).arbitrageHeads.map(({ value }) => value)).toMatchObject([{ size: '200', firstPrice: '0.5' }]);
  });

  it('emits another size with the first valid event when an invalid one came before it', () => {
    const all = profitable(
      stageOverTime([
        { from: 0, stage: ofSize('100') },
        { from: 3000, stage: ofSize('200') },
      ]),
    );
    expect(() => all.book('b-yes', 3000, [['0.5', '-1']], [], false)).toThrow('negative size');
    expect(all.tick(3001).arbitrageHeads.map(({ value }) => value)).toMatchObject([{ size: '200', firstPrice: '0.5' }]);
  });

  describe('with a market that is closed or resolved', () => {
    /** Creates the event with its market of venue_b in a state. */
    const eventWith = (marketState: EventLink['marketState'], changes: Partial<EventLink> = {}) =>
      event({ receivedAt: 2000, links: [link('venue_a_outcome'), link('venue_b', { marketState, ...changes })] });
    const signalsOf = (outputs: ReturnType<ReturnType<typeof profitable>['probe']['remove']>) =>
      emittedTo(outputs, arbitrageSignalTopic);
    const noPrices = { yesBid: null, yesAsk: null, yesMid: null, live: false };

    it.each(['closed', 'resolved'] as const)('ends arbitrage and its signals at once when it is %s', (marketState) => {
      const all = profitable();
      const outputs = all.probe.send(eventTopic, 'evt_1', eventWith(marketState));
      expect(outputs.filter(({ topic }) => topic === arbitrageHeadTopic.name)).toEqual([
        { topic: arbitrageHeadTopic.name, key: 'evt_1:cross_provider', value: null },
      ]);
      expect(signalsOf(outputs)).toMatchObject([{ kind: 'cross_provider', decayedAt: 2000, endedAt: 2000 }]);
      expect(emittedTo(outputs, arbitrageTopic)).toEqual([]);
      const [head] = emittedTo(outputs, spreadHeadTopic);
      expect(head!.legs).toMatchObject([
        { yesMid: '0.57', live: true, state: 'live' },
        { ...noPrices, state: marketState, bookAt: 1020 },
      ]);
      expect(consensusScore(head!.legs)).toBeNull();
      all.probe.restart();
      for (const at of [5000, 10_000]) expect(all.tick(at)).toMatchObject({ arbitrages: [], arbitrageHeads: [] });
    });

    it('publishes the spread once when its mid price becomes unknown, and once when it is known again', () => {
      const all = profitable();
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
      const all = profitable();
      const bothClosed = [
        link('venue_a_outcome', { marketState: 'closed' }),
        link('venue_b', { marketState: 'closed' }),
      ];
      all.link(eventWith('closed'));
      const { spreads } = all.link(event({ status: 'closed', links: bothClosed }));
      expect(spreads).toMatchObject([{ causeProvider: 'venue_a_outcome', legs: [noPrices, noPrices] }]);
    });

    it('ignores the books and statuses that still arrive for it', () => {
      const all = profitable();
      all.link(eventWith('resolved'));
      const nothing = { heads: [], spreads: [], arbitrages: [], arbitrageHeads: [] };
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
      const all = profitable();
      all.link(eventWith('resolved'));
      all.book('b-yes', 2010, [['0.3', '500']], [['0.4', '500']]);
      all.probe.restart();
      const { heads, arbitrages } = all.link({ ...eventWith('open'), receivedAt: 3000 });
      expect(heads).toMatchObject([{ legs: [{}, { yesBid: '0.3', yesAsk: '0.4', live: true, bookAt: 2010 }] }]);
      expect(arbitrages).toMatchObject([{ firstMarketId: '0xc', firstPrice: '0.4', receivedAt: 3000 }]);
    });

    it('quotes it again also when its resolution was the last of the event', () => {
      const all = profitable();
      const resolved = [
        link('venue_a_outcome', { marketState: 'resolved' }),
        link('venue_b', { marketState: 'resolved' }),
      ];
      all.link(eventWith('resolved'));
      all.link(event({ status: 'resolved', links: resolved }));
      expect(
        all.link(event({ links: [link('venue_a_outcome', { marketState: 'resolved' }), link('venue_b')] })),
      ).toMatchObject({
        heads: [{ legs: [noPrices, { yesMid: '0.49', live: true }] }],
        arbitrageHeads: [],
      });
      expect(all.link(event()).arbitrages).toMatchObject([{ firstPrice: '0.5', secondPrice: '0.56' }]);
    });

    it('excludes it from arbitrage also when its fee or the size changes', () => {
      const all = profitable(
        stageOverTime([
          { from: 0, stage: ofSize('100') },
          { from: 4000, stage: ofSize('200') },
        ]),
      );
      all.link(eventWith('closed'));
      expect(all.link(eventWith('closed', { takerFeeRate: '0.01' })).arbitrageHeads).toEqual([]);
      expect(all.tick(4000).arbitrageHeads).toEqual([]);
      const reopened = all.link({ ...eventWith('open'), receivedAt: 4001 });
      expect(reopened.arbitrages).toMatchObject([{ size: '200', firstPrice: '0.5' }]);
    });

    it('does not affect another event with a leg on the same book', () => {
      const all = profitable();
      all.link(event({ universalId: 'evt_2' }));
      all.link(eventWith('resolved'));
      const { heads, arbitrageHeads } = all.book('b-yes', 3000, [['0.48', '500']], [['0.51', '500']]);
      expect(heads).toMatchObject([{ universalId: 'evt_2', legs: [{}, { yesAsk: '0.51' }] }]);
      expect(arbitrageHeads.map(({ key }) => key)).toEqual(['evt_2:cross_provider']);
    });

    it('quotes the other legs of its event among themselves', () => {
      const all = harness();
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

  describe('with a venue whose fees changed', () => {
    /** Fees of a venue that charged nothing at first, and a cent a share from 3000 on. */
    const free: FeeModel = { provider: 'venue_a_outcome', since: 0, levelFee: () => 0n };
    const cent = 10n ** 34n;
    const charged: FeeModel = { ...free, since: 3000, levelFee: (_rate, qty) => qty * cent };
    const others = FEE_MODELS.filter(({ provider }) => provider !== 'venue_a_outcome');
    const withModels = (...models: FeeModel[]) =>
      createSpreadsStage({ arbitrageSize: '100', feeModels: [...models, ...others] });

    it('charges the fee valid at the time of the evaluation, from the moment of the change without a book change', () => {
      const [all, restarted, before] = [
        profitable(withModels(charged, free)),
        profitable(withModels(charged, free)),
        profitable(withModels(free)),
      ];
      restarted.probe.restart();
      // Results from before the change do not depend on the later model.
      expect(all.last).toEqual(before.last);
      const first = all.tick(2999);
      expect(first.arbitrages).toMatchObject([{ secondFee: '0', netEdge: '0.06' }]);
      expect(before.tick(2999)).toEqual(first);
      expect(restarted.tick(2999)).toEqual(first);
      const emitted = all.tick(3000);
      expect(emitted.arbitrageHeads.map(({ value }) => value)).toMatchObject([{ secondFee: '0.01', netEdge: '0.05' }]);
      restarted.probe.restart();
      expect(restarted.tick(3000)).toEqual(emitted);
      expect(before.tick(3000).arbitrageHeads).toEqual([]);
      expect(all.book('#70', 4000, [['0.57', '100']], [], false).arbitrages).toMatchObject([
        { secondPrice: '0.57', secondFee: '0.01' },
      ]);
    });

    it('has no record while the fee is unknown', () => {
      const all = profitable(withModels(charged));
      expect(all.last.arbitrageHeads).toEqual([]);
      expect(all.tick(2999).arbitrageHeads).toEqual([]);
      expect(all.tick(3000).arbitrageHeads.map(({ value }) => value)).toMatchObject([{ secondFee: '0.01' }]);
    });
  });

  it('does not change an event whose resolved record is malformed', () => {
    const all = profitable();
    const ended = event({ status: 'resolved', links: [link('venue_b', { takerFeeRate: 'free' })] });
    expect(() => all.link(ended)).toThrow();
    expect(all.tick(3000).arbitrages).toMatchObject([{ firstPrice: '0.5' }]);
  });

  it('removes the record when a book has less than the new size', () => {
    const all = profitable(
      stageOverTime([
        { from: 0, stage: ofSize('100') },
        { from: 3000, stage: ofSize('501') },
      ]),
    );
    expect(all.tick(3000).arbitrageHeads).toEqual([
      { topic: arbitrageHeadTopic.name, key: 'evt_1:cross_provider', value: null },
    ]);
    expect(all.tick(5000).arbitrages).toEqual([]);
  });

  describe('with books that no event uses', () => {
    const ladder = [[['0.4', '1']], [['0.6', '1']]] as const;
    const fill = (all: ReturnType<typeof harness>, count: number) => {
      for (let at = 0; at < count; at += 1) all.book(`x${at}`, 1000, [], []);
    };
    const legB = (all: ReturnType<typeof harness>) => all.link(event()).heads[0]!.legs[1];

    it('stores up to the maximum, also across a restart', () => {
      const all = harness();
      all.book('b-yes', 1000, ...ladder);
      fill(all, UNLINKED_MAX - 1);
      all.probe.restart();
      expect(legB(all)).toMatchObject({ yesMid: '0.5' });
    });

    it('drops the least recently updated one', () => {
      const all = harness();
      all.book('b-yes', 1000, ...ladder);
      fill(all, UNLINKED_MAX);
      expect(legB(all)).toMatchObject({ yesMid: null });
    });

    it.each([
      ['a change of its book', (all: ReturnType<typeof harness>) => all.book('b-yes', 1500, [['0.4', '2']], [], false)],
      ['a change of its status', (all: ReturnType<typeof harness>) => all.status('b-yes', 1500)],
    ])('does not drop the oldest one while it is in use by %s', (_, use) => {
      const all = harness();
      all.book('b-yes', 1000, ...ladder);
      fill(all, UNLINKED_MAX - 1);
      use(all);
      all.probe.restart();
      for (const name of ['y0', 'y1', 'y2']) all.book(name, 2000, [], []);
      expect(legB(all)).toMatchObject({ yesMid: '0.5' });
    });

    it('does not use a change as a snapshot of a dropped book', () => {
      const all = harness();
      all.book('b-yes', 1000, ...ladder);
      fill(all, UNLINKED_MAX);
      all.book('b-yes', 2000, [['0.3', '1']], [['0.7', '1']], false);
      expect(legB(all)).toMatchObject({ yesMid: null });
      expect(all.book('b-yes', 3000, ...ladder).heads[0]!.legs[1]).toMatchObject({ yesMid: '0.5' });
    });

    it('does not count books that ended', () => {
      const all = harness();
      all.book('b-yes', 1000, ...ladder);
      // One ends without an event, the other while an event uses it.
      fill(all, UNLINKED_MAX - 1);
      for (let at = 0; at < UNLINKED_MAX - 1; at += 1) all.end(`x${at}`, 1500);
      all.link(event({ universalId: 'evt_2', links: [link('venue_b', { yesInstrument: 'z', noInstrument: null })] }));
      all.book('z', 1600, ...ladder);
      all.end('z', 1700);
      all.probe.remove(eventTopic, 'evt_2', 1800);
      fill(all, UNLINKED_MAX - 1);
      expect(legB(all)).toMatchObject({ yesMid: '0.5' });
    });
  });
});
