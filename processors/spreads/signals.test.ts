import { describe, expect, it } from 'vitest';
import { aLink, anEvent } from '#schemas/testing/records.fixture';
import { type ArbitrageSignal, arbitrageSignalTopic } from '#schemas/topics/arbitrage-signals';
import { clockTopic } from '#schemas/topics/control';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { bookTopics, statusTopics } from '#schemas/topics/normalised';
import { emittedTo, probeStage, type StageProbe } from '../testing/stage-probe.fixture.ts';
import { createSpreadsStage } from './stage.ts';

const EVENT = anEvent({
  links: [
    aLink({
      provider: 'venue_a_outcome',
      providerMarketId: '#70',
      yesInstrument: '#70',
      noInstrument: null,
      takerFeeRate: '0',
    }),
    aLink({ yesInstrument: 'yes', noInstrument: null, takerFeeRate: '0' }),
  ],
});

/** Creates an event whose net edge is venue_b's bid minus venue_a's ask of 0.5, without fees. */
function harness() {
  const probe = probeStage(createSpreadsStage({ arbitrageSize: '100' }));
  const signals = (outputs: ReturnType<StageProbe['remove']>) =>
    emittedTo<ArbitrageSignal>(outputs, arbitrageSignalTopic);
  const common = (instrument: string, receivedAt: number) => ({
    provider: instrument === 'yes' ? 'venue_b' : 'venue_a_outcome',
    instrument,
    marketId: null,
    feed: 'f',
    receivedAt,
  });
  const venueOf = (instrument: string) => (instrument === 'yes' ? 'venue_b' : 'venue_a');
  const book = (instrument: string, at: number, bid: string, ask: string) =>
    signals(
      probe.send(bookTopics[venueOf(instrument)], instrument, {
        ...common(instrument, at),
        ts: at,
        snapshot: true,
        bids: [{ price: bid, size: '100' }],
        asks: [{ price: ask, size: '100' }],
      }),
    );
  const status = (instrument: string, at: number, state: 'live' | 'stale') =>
    signals(probe.send(statusTopics[venueOf(instrument)], instrument, { ...common(instrument, at), state, since: at }));
  const event = (fields: Partial<UniversalEvent>) => signals(probe.send(eventTopic, 'evt_1', { ...EVENT, ...fields }));
  event({});
  for (const name of ['#70', 'yes']) status(name, 1_000, 'live');
  book('#70', 1_000, '0.4', '0.5');
  return {
    probe,
    status,
    event,
    bid: (at: number, price: string) => book('yes', at, price, '0.9'),
    ask: (at: number, price: string) => book('#70', at, '0.4', price),
    remove: (at: number) => signals(probe.remove(eventTopic, 'evt_1', at)),
    tick: (at: number) =>
      signals(probe.send(clockTopic, 'clock', { receivedAt: at, tick: true, hour: false, day: false })),
  };
}

const times = ({ beganAt, peakAt, peakNetEdge, decayedAt, endedAt }: ArbitrageSignal) => [
  beganAt,
  peakAt,
  peakNetEdge,
  decayedAt,
  endedAt,
];

describe('a signal', () => {
  it('starts above zero and is emitted when it has decayed to exactly half of its peak, and when it ends', () => {
    const all = harness();
    expect(all.bid(2_000, '0.5')).toEqual([]);
    const [started] = all.bid(3_000, '0.52');
    expect(started).toEqual({
      id: expect.stringMatching(/^sig_[0-9a-f]{24}$/),
      universalId: 'evt_1',
      kind: 'cross_provider',
      firstProvider: 'venue_a_outcome',
      firstMarketId: '#70',
      secondProvider: 'venue_b',
      secondMarketId: '0xc',
      receivedAt: 3_000,
      beganAt: 3_000,
      peakAt: 3_000,
      peakNetEdge: '0.02',
      decayedAt: null,
      endedAt: null,
    });
    expect([all.bid(4_000, '0.54'), all.bid(4_500, '0.54'), all.bid(5_000, '0.5201')]).toEqual([[], [], []]);
    const decayed = all.bid(6_000, '0.52');
    expect(decayed.map(times)).toEqual([[3_000, 4_000, '0.04', 6_000, null]]);
    expect([all.bid(6_500, '0.53'), all.bid(6_600, '0.51')]).toEqual([[], []]);
    const ended = all.bid(7_000, '0.5');
    expect(ended.map(times)).toEqual([[3_000, 4_000, '0.04', 6_000, 7_000]]);
    expect([...decayed, ...ended].map(({ id }) => id)).toEqual([started!.id, started!.id]);
    expect(all.bid(8_000, '0.51').map(times)).toEqual([[8_000, 8_000, '0.01', null, null]]);
  });

  it('cancels its decay when it rises above its peak', () => {
    const all = harness();
    all.bid(2_000, '0.52');
    expect(all.bid(3_000, '0.51').map(times)).toEqual([[2_000, 2_000, '0.02', 3_000, null]]);
    expect(all.bid(4_000, '0.53').map(times)).toEqual([[2_000, 4_000, '0.03', null, null]]);
    // The end is the decay if there was none since.
    expect(all.bid(5_000, '0.4').map(times)).toEqual([[2_000, 4_000, '0.03', 5_000, 5_000]]);
  });

  it('is unchanged by a tick and by a restart', () => {
    const all = harness();
    all.bid(2_000, '0.52');
    all.probe.restart();
    expect(all.tick(5_000)).toEqual([]);
    expect(all.ask(6_000, '0.51').map(times)).toEqual([[2_000, 2_000, '0.02', 6_000, null]]);
  });

  it.each([
    ['a leg that turns stale', (all: ReturnType<typeof harness>) => all.status('#70', 4_000, 'stale')],
    [
      'the resolution of the event',
      (all: ReturnType<typeof harness>) => all.event({ receivedAt: 4_000, status: 'resolved' }),
    ],
    ['a merger', (all: ReturnType<typeof harness>) => all.event({ receivedAt: 4_000, mergedInto: 'evt_0' })],
    ['the removal of the event', (all: ReturnType<typeof harness>) => all.remove(4_000)],
    [
      'a market that left the event',
      (all: ReturnType<typeof harness>) => all.event({ receivedAt: 4_000, links: EVENT.links.slice(1) }),
    ],
  ])('ends with %s', (_, end) => {
    const all = harness();
    all.bid(2_000, '0.52');
    expect(end(all).map(times)).toEqual([[2_000, 2_000, '0.02', 4_000, 4_000]]);
  });

  it('gets another id when it starts again, also in the same millisecond', () => {
    const all = harness();
    const ids = [all.bid(2_000, '0.52'), all.bid(2_000, '0.4'), all.bid(2_000, '0.52')].map(([signal]) => signal!.id);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });
});
