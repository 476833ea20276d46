import { describe, expect, it } from 'vitest';
import { eventTopic, spreadHeadTopic } from '#schemas/topics/derived';
import { driveProfitable, driveSpreads, event, link } from './spreads.fixture.ts';

describe('spreads', () => {
  it('emits a leg for every used link, sorted, with nulls for unknown values', () => {
    const { link: sendEvent } = driveSpreads();
    const { heads, spreads } = sendEvent(
      event({
        links: [link('venue_a_outcome'), link('venue_b', { used: false, providerMarketId: '0xb' }), link('venue_b')],
      }),
    );
    expect(heads).toHaveLength(1);
    const unknown = { yesBid: null, yesAsk: null, yesMid: null, live: false, bookAt: null, state: null };
    expect(heads[0]!.legs).toEqual([
      { provider: 'venue_a_outcome', marketId: '#70', ...unknown },
      { provider: 'venue_b', marketId: '0xc', ...unknown },
    ]);
    expect(spreads).toEqual([]);
  });

  it('uses books that came before their event', () => {
    const all = driveSpreads();
    all.book('b-yes', 1000, [['0.4', '1']], [['0.6', '1']]);
    all.status('b-yes', 1001);
    const { heads } = all.link(event());
    expect(heads[0]!.legs[1]).toMatchObject({ yesBid: '0.4', yesAsk: '0.6', yesMid: '0.5', live: true, bookAt: 1000 });
    expect(all.tick(5000).spreads).toMatchObject([{ causeProvider: null, causeMarketId: null, receivedAt: 5000 }]);
    expect(all.tick(10_000).spreads).toEqual([]);
  });

  it('inverts the book of an inverse link to 1 − p', () => {
    const all = driveSpreads();
    all.link(event({ links: [link('venue_a_outcome'), link('venue_b', { polarity: 'inverse' })] }));
    all.status('b-yes', 1000);
    const { heads } = all.book('b-yes', 1010, [['0.3', '9']], [['0.35', '9']]);
    expect(heads[0]!.legs[1]).toMatchObject({ yesBid: '0.65', yesAsk: '0.7', yesMid: '0.675' });
  });

  it('emits a head for every change of the best prices and none for deeper levels', () => {
    const all = driveSpreads();
    all.link(event());
    all.status('b-yes', 1000);
    expect(all.book('b-yes', 1010, [['0.4', '1']], [['0.6', '1']]).heads).toHaveLength(1);
    expect(all.book('b-yes', 1011, [['0.3', '5']], [], false).heads).toEqual([]);
    expect(all.book('b-yes', 1012, [['0.4', '7']], [], false).heads).toEqual([]);
    const { heads } = all.book('b-yes', 1013, [['0.4', '0']], [], false);
    expect(heads[0]).toMatchObject({ causeProvider: 'venue_b', causeMarketId: '0xc', receivedAt: 1013 });
    expect(heads[0]!.legs[1]).toMatchObject({ yesBid: '0.3', yesMid: '0.45' });
  });

  it('publishes when a mid price moved by 0.005 since the last publication, and not by less', () => {
    const all = driveSpreads();
    all.link(event());
    all.status('b-yes', 1000);
    expect(all.book('b-yes', 1010, [['0.4', '1']], [['0.6', '1']]).spreads).toHaveLength(1);
    expect(all.book('b-yes', 1011, [['0.4', '1']], [['0.6099', '1']]).spreads).toEqual([]);
    expect(all.tick(5000).spreads).toEqual([]);
    // Small moves add up: the distance from the published value counts.
    const { spreads } = all.book('b-yes', 5001, [['0.4', '1']], [['0.61', '1']]);
    expect(spreads).toMatchObject([{ causeProvider: 'venue_b', causeMarketId: '0xc' }]);
    expect(all.book('b-yes', 5002, [['0.391', '1']], [['0.61', '1']]).spreads).toEqual([]);
    expect(all.book('b-yes', 5003, [['0.39', '1']], [['0.61', '1']]).spreads).toHaveLength(1);
  });

  it('publishes the first prices of a leg with its state, which comes after the first book', () => {
    const all = driveSpreads();
    all.link(event());
    expect(all.book('b-yes', 1010, [['0.4', '1']], [['0.6', '1']])).toMatchObject({ heads: [], spreads: [] });
    // A frame of the other leg in between shows none either.
    all.status('#70', 1010);
    const between = all.book('#70', 1010, [['0.56', '1']], [['0.58', '1']]);
    const unknown = { yesBid: null, yesAsk: null, yesMid: null, state: null };
    expect(between.spreads).toMatchObject([{ legs: [{ yesMid: '0.57', state: 'live' }, unknown] }]);
    const { heads, spreads } = all.status('b-yes', 1010);
    const known = { yesBid: '0.4', yesAsk: '0.6', yesMid: '0.5', state: 'live', live: true, bookAt: 1010 };
    expect([heads, spreads]).toMatchObject([[{ legs: [{}, known] }], [{ legs: [{}, known] }]]);
  });

  it('publishes when a mid price becomes known or unknown', () => {
    const all = driveSpreads();
    all.link(event());
    all.status('b-yes', 1000);
    expect(all.book('b-yes', 1010, [['0.4', '1']], []).spreads).toEqual([]);
    expect(all.book('b-yes', 1011, [], [['0.6', '1']], false).spreads).toHaveLength(1);
    expect(all.book('b-yes', 1012, [['0.4', '0']], [], false).spreads).toHaveLength(1);
    expect(all.book('b-yes', 1013, [], [['0.5', '1']], false).spreads).toEqual([]);
  });

  it('emits a head whenever the state of a leg changes, without publishing it', () => {
    const all = driveProfitable();
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
    const all = driveSpreads();
    all.status('b-yes', 1000, 'venue_down');
    all.status('b-yes', 1001, 'recovering');
    const [head] = all.link(event({ receivedAt: 2000 })).heads;
    expect(head!.legs).toMatchObject([{ state: null }, { state: 'recovering', live: false, bookAt: null }]);
    // Known also after the event was merged away.
    all.link(event({ mergedInto: 'evt_0', links: [] }));
    const [again] = all.link(event({ receivedAt: 3000 })).heads;
    expect(again!.legs[1]).toMatchObject({ state: 'recovering' });
  });

  it('emits a last head without prices for a resolved event, and removes that of a merged one', () => {
    const all = driveProfitable();
    const { heads } = all.link(event({ status: 'resolved' }));
    expect(heads).toHaveLength(1);
    expect(heads[0]!.legs.every(({ yesBid, yesAsk, live }) => yesBid === null && yesAsk === null && !live)).toBe(true);
    expect(all.book('b-yes', 3000, [['0.4', '1']], []).heads).toEqual([]);
    expect(driveProfitable().link(event({ mergedInto: 'evt_0' })).heads).toEqual([null]);
  });

  it('removes the head of a resolved event once it is archived or merged', () => {
    const archived = driveProfitable();
    archived.link(event({ status: 'resolved' }));
    const outputs = archived.probe.remove(eventTopic, event().universalId, 9_000);
    expect(outputs).toMatchObject([{ topic: spreadHeadTopic.name, key: event().universalId, value: null }]);
    const merged = driveProfitable();
    merged.link(event({ status: 'resolved' }));
    expect(merged.link(event({ status: 'resolved', mergedInto: 'evt_0', links: [] })).heads).toEqual([null]);
  });

  it('emits the legs also of an event that is resolved when it is first seen', () => {
    const all = driveSpreads();
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
});
