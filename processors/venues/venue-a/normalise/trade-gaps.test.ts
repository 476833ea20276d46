import { describe, expect, it } from 'vitest';
import { venueCandleRangeTopics } from '#schemas/topics/candles';
import { driveVenueA, START, trade } from './venue-a.fixture.ts';

type Driver = ReturnType<typeof driveVenueA>;

const acknowledge = (venue: Driver, at: number, { coin = 'BTC', feed = 'ws-1', method = 'subscribe' } = {}) =>
  venue.frame('subscriptionResponse', { method, subscription: { type: 'trades', coin } }, at, feed);
const receive = (venue: Driver, at: number, ids: readonly number[], { coin = 'BTC', feed = 'ws-1' } = {}) =>
  venue.frame(
    'trades',
    // Each trade has its time as its id.
    ids.map((id) => trade({ coin, time: START + id, tid: id })),
    at,
    feed,
  );
/** Ranges as `<id> <kind> <from> <until>`, in ms after START. */
const ranges = (venue: Driver) =>
  venue.stage.emittedTo(venueCandleRangeTopics.venue_a).map(({ id, kind, from, until }) => {
    const lostAt = Number(id.slice('gap '.length)) - START;
    return `${lostAt} ${kind} ${from - START} ${until === null ? 'open' : until - START}`;
  });

/** A coin with a trade at 1,000, whose connection was lost at 2,000 and is back at 5,000. */
function reconnected(): Driver {
  const venue = driveVenueA();
  venue.feedEvent('connected', 0);
  acknowledge(venue, 10);
  receive(venue, 1_001, [1_000]);
  venue.feedEvent('disconnected', 2_000);
  venue.feedEvent('connected', 5_000);
  acknowledge(venue, 5_010);
  return venue;
}

describe('a gap in the trades of a coin', () => {
  it('does not exist at its first subscription', () => {
    const venue = driveVenueA();
    venue.feedEvent('connected', 0);
    acknowledge(venue, 10);
    receive(venue, 20, [5, 6]);
    receive(venue, 30, [7]);
    venue.clock(60_000);
    expect(ranges(venue)).toEqual([]);
  });

  it('is open from the loss of the connection until the replay', () => {
    const venue = reconnected();
    expect(ranges(venue)).toEqual(['2000 gap 2000 open']);
    expect(venue.stage.emittedTo(venueCandleRangeTopics.venue_a)[0]).toEqual({
      provider: 'venue_a_perp',
      coin: 'BTC',
      source: 'venue_node',
      intervalMs: 60_000,
      id: `gap ${START + 2_000}`,
      kind: 'gap',
      from: START + 2_000,
      until: null,
      receivedAt: START + 2_000,
    });
  });

  it.each([
    ['contains a known trade', [1_000, 4_000]],
    ['contains one that is older than the newest known', [900, 4_000]],
  ])('does not remain if the replay %s', (_, replay) => {
    const venue = reconnected();
    receive(venue, 5_020, replay);
    expect(ranges(venue).slice(1)).toEqual(['2000 none 2000 2000']);
    receive(venue, 6_000, [5_900]);
    venue.clock(60_000);
    expect(ranges(venue)).toHaveLength(2);
  });

  it('runs from the newest known trade to the oldest replayed one otherwise', () => {
    const venue = reconnected();
    venue.stage.restart();
    receive(venue, 5_020, [4_500, 4_000, 4_700]);
    expect(ranges(venue).slice(1)).toEqual(['2000 gap 1000 4000']);
  });

  it('runs from the loss to the subscription if nothing is replayed within 30 s', () => {
    const venue = reconnected();
    venue.clock(35_009);
    expect(ranges(venue)).toHaveLength(1);
    venue.clock(35_010);
    expect(ranges(venue).slice(1)).toEqual(['2000 gap 2000 5010']);
    receive(venue, 36_000, [35_999]);
    expect(ranges(venue)).toHaveLength(2);
  });

  it('begins after a kill at the last frame of the connection', () => {
    const venue = driveVenueA();
    venue.feedEvent('connected', 0);
    acknowledge(venue, 10);
    receive(venue, 1_001, [1_000]);
    venue.frame('pong', null, 1_500);
    venue.feedEvent('connected', 9_000);
    acknowledge(venue, 9_010);
    venue.clock(60_000);
    expect(ranges(venue)).toEqual(['1500 gap 1500 open', '1500 gap 1500 9010']);
  });

  it('is found if the coin moves to another connection after a kill', () => {
    const venue = driveVenueA();
    venue.feedEvent('connected', 0);
    acknowledge(venue, 10);
    receive(venue, 1_001, [1_000]);
    venue.feedEvent('connected', 9_000, 'ws-2');
    acknowledge(venue, 9_010, { feed: 'ws-2' });
    receive(venue, 9_020, [8_000], { feed: 'ws-2' });
    expect(ranges(venue)).toEqual(['1001 gap 1001 open', '1001 gap 1000 8000']);
  });

  it('is open while the coin is not subscribed, and shows what each requested list of recent trades missed', () => {
    const venue = driveVenueA();
    const list = (at: number, ids: readonly number[]) =>
      venue.answer(
        { type: 'recentTrades', coin: 'BTC' },
        ids.map((id) => trade({ time: START + id, tid: id })),
        at,
      );
    list(100, [90, 80]);
    list(200, [190, 90]);
    list(400, [390, 380]);
    expect(ranges(venue)).toEqual([
      '100 gap 100 open',
      '100 none 100 100',
      '200 gap 200 open',
      '200 gap 190 380',
      '400 gap 400 open',
    ]);
    acknowledge(venue, 500);
    receive(venue, 510, [390, 450]);
    expect(ranges(venue).slice(5)).toEqual(['400 none 400 400']);
    list(600, [590]);
    acknowledge(venue, 700, { method: 'unsubscribe' });
    expect(ranges(venue).slice(6)).toEqual(['700 gap 700 open']);
  });

  it('of one coin is separate from that of another', () => {
    const venue = driveVenueA();
    venue.feedEvent('connected', 0);
    for (const coin of ['BTC', '#70']) {
      acknowledge(venue, 10, { coin });
      receive(venue, 20, [15], { coin });
    }
    receive(venue, 20, [15], { coin: 'ETH', feed: 'ws-2' });
    venue.feedEvent('disconnected', 100);
    const opened = venue.stage.emittedTo(venueCandleRangeTopics.venue_a);
    expect(opened.map(({ coin, source }) => `${coin} ${source}`)).toEqual(['BTC venue_node', '#70 trades']);
  });

  it('is not changed by acknowledgements of other subscriptions', () => {
    const venue = reconnected();
    venue.frame('subscriptionResponse', { method: 'subscribe', subscription: { type: 'l2Book', coin: 'BTC' } }, 5_015);
    expect(ranges(venue)).toHaveLength(1);
    expect(venue.stage.deadLetters).toEqual([]);
  });
});
