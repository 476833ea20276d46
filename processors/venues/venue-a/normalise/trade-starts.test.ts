import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { venueCandleRangeTopics } from '#schemas/topics/candles';
import { tradeTopics } from '#schemas/topics/normalised';
import { driveVenueA, START, trade } from './venue-a.fixture.ts';

type Driver = ReturnType<typeof driveVenueA>;

const DAY = 86_400_000;

const list = (venue: Driver, at: number, ids: readonly number[]) => {
  const outcomes = ids.map((outcome) => ({
    ...{ outcome, name: 'Any', description: '', quoteToken: 'USDC' },
    sideSpecs: [{ name: 'Yes' }, { name: 'No' }],
  }));
  venue.answer({ type: 'outcomeMeta' }, { outcomes, questions: [] }, at);
};
const acknowledge = (venue: Driver, coin: string, at: number, { feed = 'ws-1', method = 'subscribe' } = {}) =>
  venue.frame('subscriptionResponse', { method, subscription: { type: 'trades', coin } }, at, feed);
/** Each trade has its time as its id. */
const receive = (venue: Driver, coin: string, at: number, ids: readonly number[], feed = 'ws-1') =>
  venue.frame(
    'trades',
    ids.map((id) => trade({ coin, px: '0.4', time: START + id, tid: id })),
    at,
    feed,
  );
/** Ranges as `<coin> <id> <kind> <from> <until>`, in ms after START. */
const ranges = (venue: Driver) =>
  venue.stage.emittedTo(venueCandleRangeTopics.venue_a).map(({ coin, id, kind, from, until }) => {
    const name = id === 'start' ? id : `gap@${Number(id.slice('gap '.length)) - START}`;
    return `${coin} ${name} ${kind} ${from === 0 ? 'ever' : from - START} ${until === null ? 'open' : until - START}`;
  });

/** Both coins of outcome 7 are listed and subscribed, and nothing is replayed. */
function followed(): Driver {
  const venue = driveVenueA();
  list(venue, 0, [7]);
  for (const coin of ['#70', '#71']) acknowledge(venue, coin, 1_000);
  venue.clock(31_000);
  return venue;
}
const SINCE_START = [
  '#70 start gap ever open',
  '#71 start gap ever open',
  '#70 start gap ever 1000',
  '#71 start gap ever 1000',
];

describe('the gap before the recording of an outcome', () => {
  it('is open from its listing on, and ends for each coin when its subscription is acknowledged', () => {
    const venue = driveVenueA();
    list(venue, 0, [7]);
    list(venue, 100, [7]);
    expect(ranges(venue)).toEqual(SINCE_START.slice(0, 2));
    expect(venue.stage.emittedTo(venueCandleRangeTopics.venue_a)[0]).toEqual({
      provider: 'venue_a_outcome',
      coin: '#70',
      source: 'trades',
      intervalMs: 60_000,
      id: 'start',
      kind: 'gap',
      from: 0,
      until: null,
      receivedAt: START,
    });
    acknowledge(venue, '#70', 1_000);
    acknowledge(venue, '#71', 300_000, { feed: 'ws-2' });
    venue.clock(329_999);
    venue.stage.restart();
    expect(ranges(venue).slice(2)).toEqual(['#70 start gap ever 1000']);
    venue.clock(330_000);
    expect(ranges(venue).slice(3)).toEqual(['#71 start gap ever 300000']);
  });

  it('stays open for a coin that is not subscribed, whatever happens to the other one', () => {
    const venue = driveVenueA();
    list(venue, 0, [7]);
    acknowledge(venue, '#70', 1_000);
    receive(venue, '#70', 1_010, [900]);
    venue.clock(3 * DAY, { day: true });
    list(venue, 3 * DAY + 1, [7]);
    expect(ranges(venue)).toEqual([...SINCE_START.slice(0, 2), '#70 start gap ever 900']);
  });

  it('ends at the oldest trade that the venue replays, but at the acknowledgement if that is older', () => {
    const venue = driveVenueA();
    venue.frame('outcomeMetaUpdates', [{ outcomeCreated: { outcome: 7, name: 'Any', description: '' } }], 0);
    for (const coin of ['#70', '#71']) acknowledge(venue, coin, 300_000);
    receive(venue, '#70', 300_010, [250_000, 240_000, 290_000]);
    receive(venue, '#71', 310_010, [310_000]);
    venue.clock(400_000);
    expect(ranges(venue)).toEqual([
      ...SINCE_START.slice(0, 2),
      '#70 start gap ever 240000',
      '#71 start gap ever 300000',
    ]);
  });

  it('stays open if the connection is lost before it is known whether trades are replayed', () => {
    const venue = driveVenueA();
    list(venue, 0, [7]);
    acknowledge(venue, '#70', 1_000);
    venue.feedEvent('disconnected', 2_000);
    venue.clock(100_000);
    expect(ranges(venue)).toEqual(SINCE_START.slice(0, 2));
    acknowledge(venue, '#70', 200_000);
    receive(venue, '#70', 200_010, [150_000]);
    expect(ranges(venue).slice(2)).toEqual(['#70 start gap ever 150000']);
  });

  it('ends at the oldest trade of a requested list', () => {
    const venue = driveVenueA();
    list(venue, 0, [7]);
    const traded = [trade({ coin: '#70', px: '0.4', time: START + 500, tid: 500 })];
    venue.answer({ type: 'recentTrades', coin: '#70' }, traded, 2_000);
    expect(ranges(venue).slice(2)).toEqual(['#70 start gap ever 500', '#70 gap@2000 gap 2000 open']);
  });

  it('ends with the first trade of a coin that was not listed', () => {
    const venue = driveVenueA();
    receive(venue, '#70', 510, [500]);
    receive(venue, '#70', 610, [600]);
    expect(ranges(venue)).toEqual(['#70 start gap ever 500']);
  });

  it('does not come back: a coin that was never traded is followed for as long as it is listed', () => {
    const venue = followed();
    for (let day = 1; day <= 40; day += 1) venue.clock(day * DAY, { day: true });
    list(venue, 41 * DAY, [7]);
    receive(venue, '#71', 41 * DAY + 10, [41 * DAY]);
    expect(ranges(venue)).toEqual(SINCE_START);
  });

  it('is forgotten after the outcome was closed', () => {
    const venue = followed();
    list(venue, 40_000, [8]);
    venue.clock(3 * DAY, { day: true });
    const { followed: known, coins } = venue.stage.state.tradeSubscriptions;
    expect([[...known.keys()], [...coins.keys()]]).toEqual([['#80', '#81'], []]);
  });

  it('ends with the start of a recording in which the connections were open already', () => {
    const venue = driveVenueA();
    list(venue, 0, [7]);
    venue.feedEvent('recorded', 0, 'venue_a.info');
    expect(ranges(venue)).toHaveLength(2);
    venue.feedEvent('recorded', 5, 'venue_a.ws.1');
    list(venue, 10, [7, 8]);
    expect(ranges(venue).slice(2)).toEqual([
      '#70 start gap ever 5',
      '#71 start gap ever 5',
      '#80 start gap ever 10',
      '#81 start gap ever 10',
    ]);
    // Which connection carries a coin is known by its first trade.
    receive(venue, '#70', 20, [15], 'venue_a.ws.1');
    venue.frame('pong', null, 30, 'venue_a.ws.2');
    venue.feedEvent('disconnected', 30, 'venue_a.ws.2');
    const opened = ['#71', '#80', '#81'].map((coin) => `${coin} gap@30 gap 30 open`);
    expect(ranges(venue).slice(6)).toEqual(opened);
  });

  it('ends with the acknowledgement in a recording that saw the connections from their beginning', () => {
    const venue = driveVenueA();
    list(venue, 0, [7]);
    venue.feedEvent('connected', 5, 'venue_a.ws.1');
    venue.feedEvent('recorded', 5, 'venue_a.ws.1');
    expect(ranges(venue)).toHaveLength(2);
  });
});

describe('a gap of an outcome that was never traded', () => {
  it('is open while it is not subscribed, and does not remain if nothing is replayed', () => {
    const venue = followed();
    venue.feedEvent('disconnected', 40_000);
    expect(ranges(venue).slice(4)).toEqual(['#70 gap@1000 gap 1000 open', '#71 gap@1000 gap 1000 open']);
    acknowledge(venue, '#71', 50_000);
    venue.clock(80_000);
    expect(ranges(venue).slice(6)).toEqual(['#71 gap@1000 none 1000 1000']);
  });

  it('runs from the loss of the connection to the oldest replayed trade', () => {
    const venue = followed();
    acknowledge(venue, '#71', 40_000, { method: 'unsubscribe' });
    acknowledge(venue, '#71', 500_000);
    receive(venue, '#71', 500_010, [490_000, 480_000]);
    expect(ranges(venue).slice(4)).toEqual(['#71 gap@40000 gap 40000 open', '#71 gap@40000 gap 40000 480000']);
  });

  it('is open again from the end of its market if that is listed again', () => {
    const venue = followed();
    receive(venue, '#70', 35_000, [34_000]);
    list(venue, 40_000, [8]);
    for (const coin of ['#70', '#71']) acknowledge(venue, coin, 41_000, { method: 'unsubscribe' });
    list(venue, 70_000, [7, 8]);
    const opened = ['#70 gap@35000 gap 35000 open', '#71 gap@40000 gap 40000 open'];
    expect(
      ranges(venue)
        .filter((range) => range.startsWith('#7'))
        .slice(4),
    ).toEqual(opened);
  });
});

describe('whatever happens to the subscriptions of an outcome', () => {
  const MINUTE = 60_000;
  /** The venue replays this many trades. */
  const REPLAYED = 3;
  const coin = fc.constantFrom('#70', '#71');
  const step = fc.record({
    /** Time since the step before, ms. */
    after: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 10 * MINUTE })),
    what: fc.oneof(
      fc.record({ kind: fc.constant('trade' as const), coin }),
      fc.record({ kind: fc.constantFrom('subscribe' as const, 'unsubscribe' as const), coin }),
      fc.record({ kind: fc.constantFrom('lose', 'kill', 'close', 'list', 'day', 'restart', 'tick'), coin }),
    ),
  });

  /** Plays steps, with a venue that sends the trades of subscribed coins and replays the newest ones. */
  function play(steps: readonly { readonly after: number; readonly what: { kind: string; coin: string } }[]) {
    const venue = driveVenueA();
    const traded = new Map<string, number[]>([
      ['#70', []],
      ['#71', []],
    ]);
    const subscribed = new Set<string>();
    let isConnected = false;
    let isListed = true;
    let at = 0;
    const connect = () => {
      if (!isConnected) venue.feedEvent('connected', at);
      isConnected = true;
    };
    list(venue, 0, [7, 9]);
    for (const { after, what } of steps) {
      // Clock marks come in between.
      for (const mark of [at + 30_000, at + after]) if (mark <= at + after) venue.clock(mark);
      at += after;
      const { kind, coin: name } = what;
      if (kind === 'trade' && isListed) {
        traded.get(name)!.push(at);
        if (subscribed.has(name)) receive(venue, name, at, [at]);
      } else if (kind === 'subscribe' && isListed && !subscribed.has(name)) {
        connect();
        acknowledge(venue, name, at);
        const replayed = traded.get(name)!.slice(-REPLAYED);
        if (replayed.length > 0) receive(venue, name, at, replayed);
        subscribed.add(name);
      } else if (kind === 'unsubscribe' && subscribed.delete(name)) {
        acknowledge(venue, name, at, { method: 'unsubscribe' });
      } else if (kind === 'lose' && isConnected) {
        venue.feedEvent('disconnected', at);
        isConnected = false;
        subscribed.clear();
      } else if (kind === 'kill' && isConnected) {
        venue.stage.restart();
        subscribed.clear();
        isConnected = false;
        at += 5_000;
        connect();
      } else if (kind === 'close' && isListed) {
        isListed = false;
        list(venue, at, [9]);
        for (const open of subscribed) acknowledge(venue, open, at + 1, { method: 'unsubscribe' });
        subscribed.clear();
        at += 1;
      } else if (kind === 'list') {
        isListed = true;
        list(venue, at, [7, 9]);
      } else if (kind === 'day' && isListed) {
        at += 40 * DAY;
        venue.clock(at, { day: true });
      } else if (kind === 'restart') venue.stage.restart();
    }
    return { venue, traded };
  }

  it('a minute that no gap touches has all trades of its coin', () => {
    let complete = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const { venue, traded } = play(steps);
        expect(venue.stage.deadLetters).toEqual([]);
        const stated = venue.stage.emittedTo(venueCandleRangeTopics.venue_a);
        const ranges = [...new Map(stated.map((range) => [`${range.coin} ${range.id}`, range])).values()];
        const recorded = venue.stage.emittedTo(tradeTopics.venue_a);
        expect(new Set(recorded.map(({ id }) => id)).size).toBe(recorded.length);
        const minuteOf = (time: number) => Math.floor((START + time) / MINUTE);
        for (const [name, times] of traded) {
          const gaps = ranges.filter((range) => range.coin === name && range.kind === 'gap');
          const seen = new Set(recorded.filter(({ instrument }) => instrument === name).map(({ ts }) => ts - START));
          for (const time of times) {
            const isInGap = gaps.some(
              ({ from, until }) =>
                Math.floor(from / MINUTE) <= minuteOf(time) &&
                (until === null || Math.floor(until / MINUTE) >= minuteOf(time)),
            );
            if (!isInGap) complete += 1;
            expect(isInGap || seen.has(time), `${name} ${time}`).toBe(true);
          }
        }
      }),
      { numRuns: Number(process.env.PARALLAX_PROPERTY_RUNS ?? 200) },
    );
    expect(complete).toBeGreaterThan(0);
  });
});
