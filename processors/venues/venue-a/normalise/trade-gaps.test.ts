import { describe, expect, it } from 'vitest';
import { START_RANGE_ID, venueCandleRangeTopics } from '#schemas/topics/candles';
import { driveVenueA, START, trade } from './venue-a.fixture.ts';

type Driver = ReturnType<typeof driveVenueA>;

const acknowledge = (venue: Driver, at: number, { coin = 'BTC', feed = 'venue_a.ws.1', method = 'subscribe' } = {}) =>
  venue.frame('subscriptionResponse', { method, subscription: { type: 'trades', coin } }, at, feed);
const receive = (venue: Driver, at: number, ids: readonly number[], { coin = 'BTC', feed = 'venue_a.ws.1' } = {}) =>
  venue.frame(
    'trades',
    // Each trade has its time as its id.
    ids.map((id) => trade({ coin, time: START + id, tid: id })),
    at,
    feed,
  );
/** The gaps, without those before the recording. */
const gaps = (venue: Driver) =>
  venue.stage.emittedTo(venueCandleRangeTopics.venue_a).filter(({ id }) => id !== START_RANGE_ID);
/** Ranges as `<id> <kind> <from> <until>`, in ms after START. */
const ranges = (venue: Driver) =>
  gaps(venue).map(({ id, kind, from, until }) => {
    const lostAt = Number(id.slice('gap '.length)) - START;
    return `${lostAt} ${kind} ${from - START} ${until === null ? 'open' : until - START}`;
  });

/** The connection is lost right after a frame. */
const lose = (venue: Driver, at: number) => {
  venue.frame('pong', undefined, at);
  venue.feedEvent('disconnected', at);
};

/** The venue lists these outcomes. */
const listOutcomes = (venue: Driver, at: number, ids: readonly number[]) => {
  const outcomes = ids.map((outcome) => ({
    ...{ outcome, name: 'Any', description: '', quoteToken: 'USDC' },
    sideSpecs: [{ name: 'Yes' }, { name: 'No' }],
  }));
  venue.answer({ type: 'outcomeMeta' }, { outcomes, questions: [] }, at);
};

/** The venue lists BTC. */
const listPerp = (venue: Driver, at: number, isDelisted: boolean) =>
  venue.answer({ type: 'meta' }, { universe: [{ name: 'BTC', szDecimals: 5, maxLeverage: 40, isDelisted }] }, at);

/** Time passes on a connection that sends its pongs. */
const pass = (venue: Driver, at: number) => {
  venue.frame('pong', undefined, at);
  venue.clock(at);
};

/** A coin with a trade at 1,000, whose connection was lost at 2,000 and is back at 5,000. */
function reconnected(): Driver {
  const venue = driveVenueA();
  venue.feedEvent('connected', 0);
  acknowledge(venue, 10);
  receive(venue, 1_001, [1_000]);
  lose(venue, 2_000);
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

  it('is open from the last frame of a connection that was silent before its loss', () => {
    const venue = driveVenueA();
    venue.feedEvent('connected', 0);
    acknowledge(venue, 10);
    receive(venue, 59_001, [59_000]);
    venue.feedEvent('disconnected', 65_000);
    expect(ranges(venue)).toEqual(['59001 gap 59001 open']);
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
    pass(venue, 35_009);
    expect(ranges(venue)).toHaveLength(1);
    pass(venue, 35_010);
    expect(ranges(venue).slice(1)).toEqual(['2000 gap 2000 5010']);
    receive(venue, 36_000, [35_999]);
    expect(ranges(venue)).toHaveLength(2);
  });

  it('stays open if the connection is lost again while a replay is awaited', () => {
    const venue = reconnected();
    lose(venue, 6_000);
    venue.clock(60_000);
    expect(ranges(venue)).toEqual(['2000 gap 2000 open']);
    acknowledge(venue, 70_000);
    pass(venue, 100_000);
    expect(ranges(venue).slice(1)).toEqual(['2000 gap 2000 70000']);
  });

  it('begins after a kill at the last frame of the connection', () => {
    const venue = driveVenueA();
    venue.feedEvent('connected', 0);
    acknowledge(venue, 10);
    receive(venue, 1_001, [1_000]);
    venue.frame('pong', null, 1_500);
    venue.feedEvent('connected', 9_000);
    acknowledge(venue, 9_010);
    pass(venue, 60_000);
    expect(ranges(venue)).toEqual(['1500 gap 1500 open', '1500 gap 1500 9010']);
  });

  it('is found if the coin moves to another connection after a kill', () => {
    const venue = driveVenueA();
    venue.feedEvent('connected', 0);
    acknowledge(venue, 10);
    receive(venue, 1_001, [1_000]);
    venue.feedEvent('connected', 9_000, 'venue_a.ws.2');
    acknowledge(venue, 9_010, { feed: 'venue_a.ws.2' });
    receive(venue, 9_020, [8_000], { feed: 'venue_a.ws.2' });
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
    expect(ranges(venue)).toEqual(['100 gap 100 open', '100 gap 200 open', '100 gap 190 380', '400 gap 400 open']);
    acknowledge(venue, 500);
    receive(venue, 510, [390, 450]);
    expect(ranges(venue).slice(4)).toEqual(['400 none 400 400']);
    list(600, [590]);
    acknowledge(venue, 700, { method: 'unsubscribe' });
    expect(ranges(venue).slice(5)).toEqual(['400 gap 700 open']);
  });

  it('extends the one before it if it touches the same minutes or those beside them, so that few ranges remain', () => {
    const venue = driveVenueA();
    const minute = START - (START % 60_000) - START;
    const at = (minutes: number) => minute + minutes * 60_000;
    const list = (time: number) =>
      venue.answer({ type: 'recentTrades', coin: 'BTC' }, [trade({ time: START + time - 1, tid: time })], time);
    for (const minutes of [1, 1.5, 2, 2.5, 3, 3.5, 9, 9.5]) list(at(minutes));
    const rows = new Map(ranges(venue).map((text) => [text.split(' ')[0]!, text.split(' ').slice(1).join(' ')]));
    // The newest gap is open; the times in between without a trade are no gap of their own.
    expect([...rows.values()]).toEqual([`gap ${at(1) - 1} ${at(9.5) - 1}`, `gap ${at(9.5)} open`]);
  });

  it('has the range of an earlier interruption again in which nothing was missed', () => {
    const venue = reconnected();
    receive(venue, 5_020, [1_000]);
    for (const time of [10_000, 20_000, 30_000]) {
      lose(venue, time);
      venue.feedEvent('connected', time + 10);
      acknowledge(venue, time + 20);
      receive(venue, time + 30, [1_000]);
    }
    expect(new Set(ranges(venue).map((text) => text.split(' ')[0]))).toEqual(new Set(['2000']));
    expect(ranges(venue).at(-1)).toBe('2000 none 30000 30000');
  });

  it('ends when the market has ended, and is not opened after that', () => {
    const venue = driveVenueA();
    const list = (at: number, isDelisted: boolean) => listPerp(venue, at, isDelisted);
    list(0, false);
    venue.feedEvent('connected', 0);
    acknowledge(venue, 10);
    receive(venue, 1_001, [1_000]);
    lose(venue, 2_000);
    list(3_000, true);
    expect(ranges(venue)).toEqual(['2000 gap 2000 open']);
    venue.clock(5_000);
    venue.clock(60_000);
    expect(ranges(venue).slice(1)).toEqual(['2000 gap 2000 3000']);
    acknowledge(venue, 61_000);
    receive(venue, 61_100, [61_050]);
    acknowledge(venue, 62_000, { method: 'unsubscribe' });
    lose(venue, 63_000);
    venue.answer({ type: 'recentTrades', coin: 'BTC' }, [trade({ time: START + 61_050, tid: 61_050 })], 64_000);
    venue.clock(120_000);
    expect(ranges(venue)).toHaveLength(2);
    // Listed again, it has a gap from its subscription to the replay.
    list(200_000, false);
    acknowledge(venue, 201_000);
    receive(venue, 201_100, [200_500]);
    expect(ranges(venue).slice(2)).toEqual(['201000 gap 201000 open', '201000 gap 61050 200500']);
  });

  it('is not repaired by an empty response about a market that has ended', () => {
    const venue = driveVenueA();
    listOutcomes(venue, 0, [7, 8]);
    listOutcomes(venue, 60_000, [8]);
    for (const coin of ['#70', '#80']) {
      const req = { coin, interval: '1m', startTime: 0, endTime: START + 60_000 };
      venue.answer({ type: 'candleSnapshot', req }, [], 200_000);
    }
    const complete = venue.stage.emittedTo(venueCandleRangeTopics.venue_a).filter(({ kind }) => kind === 'complete');
    expect(complete.map(({ coin }) => coin)).toEqual(['#80']);
  });

  it('does not remain if the market ended before it', () => {
    const venue = driveVenueA();
    const list = (at: number, ids: readonly number[]) => listOutcomes(venue, at, ids);
    list(0, [7, 8]);
    for (const coin of ['#70', '#80']) {
      acknowledge(venue, 10, { coin });
      receive(venue, 1_001, [1_000], { coin });
    }
    list(2_000, [8]);
    lose(venue, 3_000);
    venue.clock(60_000);
    const opened = gaps(venue);
    expect(opened.map(({ coin, until }) => `${coin} ${until}`)).toEqual(['#80 null']);
    list(61_000, [9]);
    venue.clock(65_000);
    expect(ranges(venue).slice(1)).toEqual(['3000 gap 3000 61000']);
  });

  it('runs to the end of the market if that is known before the loss of the connection', () => {
    const venue = driveVenueA();
    const list = (at: number, isDelisted: boolean) => listPerp(venue, at, isDelisted);
    list(0, false);
    venue.feedEvent('connected', 0);
    acknowledge(venue, 10);
    receive(venue, 1_001, [1_000]);
    // The process is killed. The next one requests the list before it is connected.
    list(90_000, true);
    venue.clock(95_000);
    venue.feedEvent('connected', 100_000);
    expect(ranges(venue)).toEqual(['1001 gap 1001 90000']);
  });

  it('of one coin is separate from that of another', () => {
    const venue = driveVenueA();
    venue.feedEvent('connected', 0);
    for (const coin of ['BTC', '#70']) {
      acknowledge(venue, 10, { coin });
      receive(venue, 20, [15], { coin });
    }
    receive(venue, 20, [15], { coin: 'ETH', feed: 'venue_a.ws.2' });
    lose(venue, 100);
    const opened = gaps(venue);
    expect(opened.map(({ coin, source }) => `${coin} ${source}`)).toEqual(['BTC venue_node', '#70 trades']);
  });

  it('is not changed by acknowledgements of other subscriptions', () => {
    const venue = reconnected();
    venue.frame('subscriptionResponse', { method: 'subscribe', subscription: { type: 'l2Book', coin: 'BTC' } }, 5_015);
    expect(ranges(venue)).toHaveLength(1);
    expect(venue.stage.deadLetters).toEqual([]);
  });
});
