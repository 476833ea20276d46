import { describe, expect, it } from 'vitest';
import { aLink, anArbitrage, anEvent, aSpread } from '#schemas/testing/records.fixture';
import { channelTopics } from '#schemas/topics/channels';
import { arbitrageTopic, eventTopic, type Spread, spreadTopic, type UniversalEvent } from '#schemas/topics/derived';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import type { DrivenOutput } from '../testing/drive-stage.fixture.ts';
import { emittedTo, probeStage } from '../testing/stage-probe.fixture.ts';
import { type ChannelsOptions, createChannelsStage } from './stage.ts';

const event = (universalId: string, markets: readonly string[], mergedInto: string | null = null) =>
  anEvent({
    universalId,
    links: markets.map((providerMarketId, at) => aLink({ providerMarketId, used: at === 0 })),
    mergedInto,
  });

const trade: Trade = {
  id: 'venue_b:0xt:1',
  provider: 'venue_b',
  marketId: '0xc',
  instrument: '1',
  outcome: 'Yes',
  ts: 1900,
  receivedAt: 2000,
  arrival: 1,
  side: 'buy',
  price: '0.5',
  qty: '3',
  usd: '1.5',
  maker: '0xm',
  taker: '0xk',
  txHash: '0xt',
  logIndex: 1,
  tradeId: null,
  blockNumber: 5,
  blockHash: '0xb',
  status: 'pending',
};

function harness(options: ChannelsOptions = {}) {
  const probe = probeStage(createChannelsStage(options));
  const frames = (outputs: DrivenOutput[]) => emittedTo(outputs, channelTopics.events);
  const venueOf = (provider: string) => (provider === 'venue_b' ? 'venue_b' : 'venue_a');
  const all = {
    probe,
    link: (record: UniversalEvent) => frames(probe.send(eventTopic, record.universalId, record)),
    spread: (changes: Partial<Spread> = {}) => frames(probe.send(spreadTopic, 'evt_1', aSpread(changes))),
    arbitrage: () => frames(probe.send(arbitrageTopic, 'evt_1', anArbitrage())),
    trade: (changes: Partial<Trade> = {}) => {
      const value = { ...trade, ...changes };
      return frames(probe.send(tradeTopics[venueOf(value.provider)], value.instrument, value));
    },
    /** Channel and status of the frames of a trade. */
    told: (changes: Partial<Trade> = {}) =>
      all
        .trade(changes)
        .map(({ channel, payload }) => `${channel.slice('svc:stream:trade:'.length)} ${JSON.parse(payload).status}`),
  };
  return all;
}

describe('the channels stage', () => {
  it('tells a spread on the channel of its event, with the leg that caused it', () => {
    const { spread: tell } = harness();
    const [frame, ...others] = tell();
    expect(others).toEqual([]);
    expect(frame).toMatchObject({
      channel: 'svc:stream:event:evt_1',
      seq: 1,
      type: 'event.spread',
      provider: 'venue_b',
      marketId: '0xc',
      receivedAt: 2000,
    });
    expect(JSON.parse(frame!.payload)).toEqual({
      universalId: 'evt_1',
      legs: [
        {
          provider: 'venue_b',
          marketId: '0xc',
          yesBid: 0.4,
          yesAsk: 0.6,
          yesMid: 0.5,
          state: 'live',
          asOf: '1970-01-01T00:00:01.990Z',
        },
      ],
      fetchedAt: '1970-01-01T00:00:02.000Z',
    });
    expect(tell({ causeProvider: null, causeMarketId: null })).toMatchObject([
      { seq: 2, provider: null, marketId: null },
    ]);
  });

  it('tells an arbitrage by its kind', () => {
    const [frame] = harness().arbitrage();
    expect(frame).toMatchObject({ channel: 'svc:stream:arbitrage:evt_1', seq: 1, type: 'event.arbitrage' });
    expect(JSON.parse(frame!.payload)).toMatchObject({ kind: 'negation_pair', noMarketId: '#70', netEdge: 0.01 });
  });

  it('numbers every channel by itself, across a restart', () => {
    const all = harness();
    expect([...all.spread(), ...all.arbitrage(), ...all.spread()].map(({ seq }) => seq)).toEqual([1, 1, 2]);
    all.probe.restart();
    expect(all.spread()).toMatchObject([{ seq: 3 }]);
  });

  it('tells a trade to its provider and to its event, the same bytes', () => {
    const all = harness();
    all.link(event('evt_1', ['0xother', '0xc']));
    const frames = all.trade();
    expect(frames.map(({ channel }) => channel)).toEqual(['svc:stream:trade:venue_b', 'svc:stream:trade:evt_1']);
    expect(frames[0]).toMatchObject({ type: 'trade.observed', provider: 'venue_b', marketId: '0xc', seq: 1 });
    expect(frames[0]!.payload).toBe(frames[1]!.payload);
    expect(JSON.parse(frames[0]!.payload)).toMatchObject({ id: trade.id, price: 0.5, status: 'pending' });
  });

  it('tells confirmation by no frame, reversal by one, and a trade included again anew', () => {
    const all = harness();
    all.link(event('evt_1', ['0xc']));
    expect(all.told()).toEqual(['venue_b pending', 'evt_1 pending']);
    expect(all.told({ status: 'reverted' })).toEqual(['venue_b reverted', 'evt_1 reverted']);
    expect(all.told({ status: 'pending' })).toEqual(['venue_b pending', 'evt_1 pending']);
    expect(all.told({ status: 'confirmed' })).toEqual([]);
    expect(all.told({ status: 'reverted' })).toEqual(['venue_b reverted', 'evt_1 reverted']);
    expect(all.told({ status: 'pending' })).toEqual(['venue_b pending', 'evt_1 pending']);
  });

  it('tells a trade that is final at once', () => {
    const all = harness();
    expect(all.told({ provider: 'venue_a_perp', marketId: 'BTC', instrument: 'BTC', status: 'confirmed' })).toEqual([
      'venue_a_perp confirmed',
    ]);
    expect(all.told({ status: 'confirmed' })).toEqual(['venue_b confirmed']);
  });

  it('tells a trade whose market became known to its event alone, once', () => {
    const all = harness();
    expect(all.told({ marketId: null })).toEqual(['venue_b pending']);
    expect(all.told({ marketId: null, status: 'confirmed' })).toEqual([]);
    all.link(event('evt_1', ['0xc']));
    expect(all.told({ status: 'confirmed' })).toEqual(['evt_1 confirmed']);
  });

  it('takes nothing back where the trade was never told', () => {
    const all = harness();
    all.told({ marketId: null });
    all.link(event('evt_1', ['0xc']));
    expect(all.told({ status: 'reverted' })).toEqual(['venue_b reverted']);
    expect(all.told({ status: 'pending' })).toEqual(['venue_b pending', 'evt_1 pending']);
  });

  it('says nothing to an event of a trade that was reverted before its market became known', () => {
    const all = harness();
    all.told({ marketId: null });
    all.told({ marketId: null, status: 'reverted' });
    all.link(event('evt_1', ['0xc']));
    expect(all.told({ status: 'reverted' })).toEqual([]);
  });

  it('has no firehose for builder dexes', () => {
    expect(harness().told({ provider: 'venue_a_dex', marketId: 'dexy:GOLD', status: 'confirmed' })).toEqual([]);
  });

  it('gives the channels of a merged event what its survivor is told', () => {
    const all = harness();
    all.link(event('evt_0', ['0xc']));
    all.trade();
    all.link(event('evt_1', ['0xc', '0xd']));
    all.link(event('evt_0', [], 'evt_1'));
    const frames = all.spread();
    expect(frames.map(({ channel, seq }) => [channel, seq])).toEqual([
      ['svc:stream:event:evt_1', 1],
      ['svc:stream:event:evt_0', 1],
    ]);
    expect(frames[0]!.payload).toBe(frames[1]!.payload);
    expect(all.told({ id: 'venue_b:0xt:2', marketId: '0xd' })).toEqual([
      'venue_b pending',
      'evt_1 pending',
      'evt_0 pending',
    ]);
    // And on, when the survivor is merged in turn.
    all.link(event('evt_2', ['0xc', '0xd']));
    all.link(event('evt_1', [], 'evt_2'));
    all.link(event('evt_0', [], 'evt_2'));
    expect(all.told({ id: 'venue_b:0xt:3' })).toEqual([
      'venue_b pending',
      'evt_2 pending',
      'evt_1 pending',
      'evt_0 pending',
    ]);
  });

  it('follows a market that moves to another event, whichever of the two is told first', () => {
    for (const order of [
      [event('evt_1', ['0xd']), event('evt_2', ['0xc'])],
      [event('evt_2', ['0xc']), event('evt_1', ['0xd'])],
    ]) {
      const all = harness();
      all.link(event('evt_1', ['0xc', '0xd']));
      for (const record of order) all.link(record);
      expect(all.told()).toEqual(['venue_b pending', 'evt_2 pending']);
    }
  });

  it('forgets an event that is removed', () => {
    const all = harness();
    all.link(event('evt_1', ['0xc']));
    all.probe.remove(eventTopic, 'evt_1', 1500);
    expect(all.told()).toEqual(['venue_b pending']);
  });

  it('remembers a bounded number of trades, the newest', () => {
    const all = harness({ rememberedTradesMax: 10 });
    const fill = (count: number) => {
      for (let at = 0; at < count; at += 1) all.trade({ id: `x${at}` });
    };
    all.trade();
    fill(9);
    expect(all.told({ status: 'confirmed', marketId: null })).toEqual([]);
    fill(10);
    expect(all.told({ status: 'confirmed' })).toEqual(['venue_b confirmed']);
  });
});
