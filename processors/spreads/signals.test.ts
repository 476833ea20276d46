import { describe, expect, it } from 'vitest';
import { type ArbitrageSignal, arbitrageSignalTopic } from '#schemas/topics/arbitrage-signals';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { emittedTo } from '../testing/stage-probe.fixture.ts';
import { driveSpreads, event, link } from './spreads.fixture.ts';

const EVENT = event({
  links: [link('venue_a_outcome', { takerFeeRate: '0' }), link('venue_b')],
});

/** Creates an event whose net edge is venue_b's bid minus venue_a's ask of 0.5, without fees. */
function driveSignals() {
  const all = driveSpreads();
  const book = (instrument: string, at: number, bid: string, ask: string) =>
    all.book(instrument, at, [[bid, '100']], [[ask, '100']]).signals;
  all.link(EVENT);
  for (const name of ['#70', 'b-yes']) all.status(name, 1_000);
  book('#70', 1_000, '0.4', '0.5');
  return {
    probe: all.probe,
    status: (...status: Parameters<typeof all.status>) => all.status(...status).signals,
    event: (fields: Partial<UniversalEvent>) => all.link({ ...EVENT, ...fields }).signals,
    bid: (at: number, price: string) => book('b-yes', at, price, '0.9'),
    ask: (at: number, price: string) => book('#70', at, '0.4', price),
    remove: (at: number) => emittedTo(all.probe.remove(eventTopic, 'evt_1', at), arbitrageSignalTopic),
    tick: (at: number) => all.tick(at).signals,
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
    const all = driveSignals();
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
    const all = driveSignals();
    all.bid(2_000, '0.52');
    expect(all.bid(3_000, '0.51').map(times)).toEqual([[2_000, 2_000, '0.02', 3_000, null]]);
    expect(all.bid(4_000, '0.53').map(times)).toEqual([[2_000, 4_000, '0.03', null, null]]);
    // The end is the decay if there was none since.
    expect(all.bid(5_000, '0.4').map(times)).toEqual([[2_000, 4_000, '0.03', 5_000, 5_000]]);
  });

  it('is unchanged by a tick and by a restart', () => {
    const all = driveSignals();
    all.bid(2_000, '0.52');
    all.probe.restart();
    expect(all.tick(5_000)).toEqual([]);
    expect(all.ask(6_000, '0.51').map(times)).toEqual([[2_000, 2_000, '0.02', 6_000, null]]);
  });

  it.each([
    ['a leg that turns stale', (all: ReturnType<typeof driveSignals>) => all.status('#70', 4_000, 'stale')],
    [
      'the resolution of the event',
      (all: ReturnType<typeof driveSignals>) => all.event({ receivedAt: 4_000, status: 'resolved' }),
    ],
    ['a merger', (all: ReturnType<typeof driveSignals>) => all.event({ receivedAt: 4_000, mergedInto: 'evt_0' })],
    ['the removal of the event', (all: ReturnType<typeof driveSignals>) => all.remove(4_000)],
    [
      'a market that left the event',
      (all: ReturnType<typeof driveSignals>) => all.event({ receivedAt: 4_000, links: EVENT.links.slice(1) }),
    ],
  ])('ends with %s', (_, end) => {
    const all = driveSignals();
    all.bid(2_000, '0.52');
    expect(end(all).map(times)).toEqual([[2_000, 2_000, '0.02', 4_000, 4_000]]);
  });

  it('gets another id when it starts again, also in the same millisecond', () => {
    const all = driveSignals();
    const ids = [all.bid(2_000, '0.52'), all.bid(2_000, '0.4'), all.bid(2_000, '0.52')].map(([signal]) => signal!.id);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });
});
