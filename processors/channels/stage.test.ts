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
  orders: null,
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
    /** Sends a trade and returns channel and status of its frames. */
    tradeFrames: (changes: Partial<Trade> = {}) =>
      all
        .trade(changes)
        .map(({ channel, payload }) => `${channel.slice('svc:stream:trade:'.length)} ${JSON.parse(payload).status}`),
  };
  return all;
}

describe('the channels stage', () => {
  it('emits a spread on the channel of its event, with the leg that caused it', () => {
    const { spread: sendSpread } = harness();
    const [frame, ...others] = sendSpread();
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
      spread: null,
      fetchedAt: '1970-01-01T00:00:02.000Z',
    });
    expect(sendSpread({ causeProvider: null, causeMarketId: null })).toMatchObject([
      { seq: 2, provider: null, marketId: null },
    ]);
  });

  it('emits an arbitrage with its kind', () => {
    const [frame] = harness().arbitrage();
    expect(frame).toMatchObject({ channel: 'svc:stream:arbitrage:evt_1', seq: 1, type: 'event.arbitrage' });
    expect(JSON.parse(frame!.payload)).toMatchObject({ kind: 'negation_pair', noMarketId: '#70', netEdge: 0.01 });
  });

  it('numbers every channel separately, across a restart', () => {
    const all = harness();
    expect([...all.spread(), ...all.arbitrage(), ...all.spread()].map(({ seq }) => seq)).toEqual([1, 1, 2]);
    all.probe.restart();
    expect(all.spread()).toMatchObject([{ seq: 3 }]);
  });

  it('emits a trade with the same bytes to its provider and to its event', () => {
    const all = harness();
    all.link(event('evt_1', ['0xother', '0xc']));
    const frames = all.trade();
    expect(frames.map(({ channel }) => channel)).toEqual(['svc:stream:trade:venue_b', 'svc:stream:trade:evt_1']);
    expect(frames[0]).toMatchObject({ type: 'trade.observed', provider: 'venue_b', marketId: '0xc', seq: 1 });
    expect(frames[0]!.payload).toBe(frames[1]!.payload);
    expect(JSON.parse(frames[0]!.payload)).toMatchObject({ id: trade.id, price: 0.5, status: 'pending' });
  });

  it('emits no frame for a confirmation, one for a reversal, and a new one for a trade included again', () => {
    const all = harness();
    all.link(event('evt_1', ['0xc']));
    expect(all.tradeFrames()).toEqual(['venue_b pending', 'evt_1 pending']);
    expect(all.tradeFrames({ status: 'reverted' })).toEqual(['venue_b reverted', 'evt_1 reverted']);
    expect(all.tradeFrames({ status: 'pending' })).toEqual(['venue_b pending', 'evt_1 pending']);
    expect(all.tradeFrames({ status: 'confirmed' })).toEqual([]);
    expect(all.tradeFrames({ status: 'reverted' })).toEqual(['venue_b reverted', 'evt_1 reverted']);
    expect(all.tradeFrames({ status: 'pending' })).toEqual(['venue_b pending', 'evt_1 pending']);
  });

  it('emits a trade that is final at once', () => {
    const all = harness();
    expect(
      all.tradeFrames({ provider: 'venue_a_perp', marketId: 'BTC', instrument: 'BTC', status: 'confirmed' }),
    ).toEqual(['venue_a_perp confirmed']);
    expect(all.tradeFrames({ status: 'confirmed' })).toEqual(['venue_b confirmed']);
  });

  it('emits a trade whose market became known to its event only, once', () => {
    const all = harness();
    expect(all.tradeFrames({ marketId: null })).toEqual(['venue_b pending']);
    expect(all.tradeFrames({ marketId: null, status: 'confirmed' })).toEqual([]);
    all.link(event('evt_1', ['0xc']));
    expect(all.tradeFrames({ status: 'confirmed' })).toEqual(['evt_1 confirmed']);
  });

  it('emits no reversal where the trade was never emitted', () => {
    const all = harness();
    all.tradeFrames({ marketId: null });
    all.link(event('evt_1', ['0xc']));
    expect(all.tradeFrames({ status: 'reverted' })).toEqual(['venue_b reverted']);
    expect(all.tradeFrames({ status: 'pending' })).toEqual(['venue_b pending', 'evt_1 pending']);
  });

  it('emits nothing to an event for a trade that was reverted before its market became known', () => {
    const all = harness();
    all.tradeFrames({ marketId: null });
    all.tradeFrames({ marketId: null, status: 'reverted' });
    all.link(event('evt_1', ['0xc']));
    expect(all.tradeFrames({ status: 'reverted' })).toEqual([]);
  });

  it('emits trades of pairs and contracts to the firehoses of their providers', () => {
    const trade = (provider: string, marketId: string) =>
      harness().tradeFrames({ provider, marketId, status: 'confirmed' });
    expect(trade('venue_a_dex', 'dexy:GOLD')).toEqual(['venue_a_dex confirmed']);
    expect(trade('venue_a_perp', '@107')).toEqual(['venue_a_perp confirmed']);
  });

  it("emits the survivor's frames to the channels of a merged event", () => {
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
    expect(all.tradeFrames({ id: 'venue_b:0xt:2', marketId: '0xd' })).toEqual([
      'venue_b pending',
      'evt_1 pending',
      'evt_0 pending',
    ]);
    // The same when the survivor is merged in turn.
    all.link(event('evt_2', ['0xc', '0xd']));
    all.link(event('evt_1', [], 'evt_2'));
    all.link(event('evt_0', [], 'evt_2'));
    expect(all.tradeFrames({ id: 'venue_b:0xt:3' })).toEqual([
      'venue_b pending',
      'evt_2 pending',
      'evt_1 pending',
      'evt_0 pending',
    ]);
  });

  it('follows a market that moves to another event, whichever of the two comes first', () => {
    for (const order of [
      [event('evt_1', ['0xd']), event('evt_2', ['0xc'])],
      [event('evt_2', ['0xc']), event('evt_1', ['0xd'])],
    ]) {
      const all = harness();
      all.link(event('evt_1', ['0xc', '0xd']));
      for (const record of order) all.link(record);
      expect(all.tradeFrames()).toEqual(['venue_b pending', 'evt_2 pending']);
    }
  });

  it('removes the state of an event that is removed', () => {
    const all = harness();
    all.link(event('evt_1', ['0xc']));
    all.probe.remove(eventTopic, 'evt_1', 1500);
    expect(all.tradeFrames()).toEqual(['venue_b pending']);
  });

  it('remembers a bounded number of the newest trades', () => {
    const all = harness({ rememberedTradesMax: 10 });
    const fill = (count: number) => {
      for (let at = 0; at < count; at += 1) all.trade({ id: `x${at}` });
    };
    all.trade();
    fill(9);
    expect(all.tradeFrames({ status: 'confirmed', marketId: null })).toEqual([]);
    fill(10);
    expect(all.tradeFrames({ status: 'confirmed' })).toEqual(['venue_b confirmed']);
  });
});
