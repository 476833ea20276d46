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
const acknowledge = (venue: Driver, coin: string, at: number, { feed = 'venue_a.ws.1', method = 'subscribe' } = {}) =>
  venue.frame('subscriptionResponse', { method, subscription: { type: 'trades', coin } }, at, feed);
/** Each trade has its time as its id. */
const receive = (venue: Driver, coin: string, at: number, ids: readonly number[], feed = 'venue_a.ws.1') =>
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

/** Time passes on a connection that sends its pongs. */
const pass = (venue: Driver, at: number, feed = 'venue_a.ws.1') => {
  venue.frame('pong', null, at, feed);
  venue.clock(at);
};

/** Both coins of outcome 7 are listed and subscribed, and nothing is replayed. */
function followed(): Driver {
  const venue = driveVenueA();
  list(venue, 0, [7]);
  for (const coin of ['#70', '#71']) acknowledge(venue, coin, 1_000);
  pass(venue, 31_000);
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
    acknowledge(venue, '#71', 300_000, { feed: 'venue_a.ws.2' });
    pass(venue, 31_000);
    pass(venue, 329_999, 'venue_a.ws.2');
    venue.stage.restart();
    expect(ranges(venue).slice(2)).toEqual(['#70 start gap ever 1000']);
    pass(venue, 330_000, 'venue_a.ws.2');
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

  it('ends with the acknowledgement in a recording that saw the connections from their beginning', () => {
    const venue = driveVenueA();
    list(venue, 0, [7]);
    venue.feedEvent('connected', 5, 'venue_a.ws.1');
    venue.feedEvent('recorded', 5, 'venue_a.ws.1');
    expect(ranges(venue)).toHaveLength(2);
  });
});

describe('a recording in which the connections were open already', () => {
  /** Outcomes 7 and 8 are listed in a recording that begins at 5. */
  function recorded(): Driver {
    const venue = driveVenueA();
    venue.feedEvent('recorded', 0, 'venue_a.info');
    venue.feedEvent('recorded', 5);
    list(venue, 10, [7, 8]);
    venue.feedEvent('recorded', 20, 'venue_a.ws.2');
    return venue;
  }
  const STARTS = 4;

  it('counts coins as subscribed from its start, or from its first list on', () => {
    const venue = driveVenueA();
    list(venue, 0, [7]);
    venue.feedEvent('recorded', 0, 'venue_a.info');
    expect(ranges(venue)).toHaveLength(2);
    venue.feedEvent('recorded', 5);
    expect(ranges(venue).slice(2)).toEqual(['#70 start gap ever 5', '#71 start gap ever 5']);
    expect(ranges(recorded())).toEqual(['#70', '#71', '#80', '#81'].map((coin) => `${coin} start gap ever 10`));
  });

  it('states the subscriptions of outcomes that are listed later', () => {
    const venue = recorded();
    const created = [{ outcomeCreated: { outcome: 6, name: 'Any', description: '' } }];
    venue.frame('outcomeMetaUpdates', created, 15);
    list(venue, 3_600_000, [6, 7, 8, 9]);
    acknowledge(venue, '#90', 4_200_000);
    pass(venue, 4_230_000);
    expect(ranges(venue).slice(STARTS)).toEqual([
      ...['#60', '#61', '#90', '#91'].map((coin) => `${coin} start gap ever open`),
      '#90 start gap ever 4200000',
    ]);
  });

  it('has an open gap of each coin that a lost socket may have carried, until a trade shows that another one does', () => {
    const venue = recorded();
    receive(venue, '#70', 20, [15]);
    venue.frame('pong', null, 30, 'venue_a.ws.2');
    venue.feedEvent('disconnected', 30, 'venue_a.ws.2');
    const lost = ['#71', '#80', '#81'];
    expect(ranges(venue).slice(STARTS)).toEqual(lost.map((coin) => `${coin} gap@30 gap 30 open`));
    receive(venue, '#80', 40, [35]);
    receive(venue, '#80', 50, [45]);
    venue.feedEvent('disconnected', 60, 'venue_a.ws.2');
    expect(ranges(venue).slice(STARTS + 3)).toEqual(['#80 gap@30 none 30 30']);
  });

  it('has no gap if what was lost carries no trades, or is a new socket', () => {
    const venue = recorded();
    venue.feedEvent('disconnected', 30, 'venue_a.info');
    venue.feedEvent('connected', 40, 'venue_a.info');
    venue.feedEvent('connected', 50, 'venue_a.ws.3');
    expect(ranges(venue)).toHaveLength(STARTS);
  });

  it.each([
    ['only newer trades', [500_000, 510_000], 'gap 10 500000'],
    ['an older trade', [2, 510_000], 'none 10 10'],
    ['nothing', [], 'none 10 10'],
  ])('did not have the trades of a coin that is subscribed later and never came, if %s is replayed', (_, ids, gap) => {
    const venue = recorded();
    venue.feedEvent('disconnected', 300_000, 'venue_a.ws.2');
    acknowledge(venue, '#71', 600_000);
    if (ids.length > 0) receive(venue, '#71', 600_010, ids);
    pass(venue, 630_000);
    expect(
      ranges(venue)
        .slice(STARTS)
        .filter((range) => range.startsWith('#71')),
    ).toEqual(['#71 gap@20 gap 20 open', '#71 gap@20 gap 10 open', `#71 gap@20 ${gap}`]);
  });

  it('has the gap from the end of a subscription on', () => {
    const venue = recorded();
    acknowledge(venue, '#71', 50, { method: 'unsubscribe' });
    expect(ranges(venue).slice(STARTS)).toEqual(['#71 gap@50 gap 50 open']);
  });
});

describe('a gap of an outcome that was never traded', () => {
  it('is open while it is not subscribed, and does not remain if nothing is replayed', () => {
    const venue = followed();
    venue.feedEvent('disconnected', 40_000);
    expect(ranges(venue).slice(4)).toEqual(['#70 gap@31000 gap 31000 open', '#71 gap@31000 gap 31000 open']);
    acknowledge(venue, '#71', 50_000);
    pass(venue, 80_000);
    expect(ranges(venue).slice(6)).toEqual(['#71 gap@31000 none 31000 31000']);
  });

  it('remains if the process was killed between the acknowledgement and the replay', () => {
    const venue = followed();
    venue.feedEvent('disconnected', 40_000);
    acknowledge(venue, '#71', 200_000);
    // The next process is back, and its connection is not.
    venue.clock(240_000);
    venue.feedEvent('connected', 241_000);
    acknowledge(venue, '#71', 241_010);
    // The older ones of twenty trades are not replayed.
    receive(venue, '#71', 241_020, [190_000, 191_000]);
    expect(ranges(venue).slice(5)).toEqual(['#71 gap@31000 gap 31000 open', '#71 gap@31000 gap 31000 190000']);
  });

  it('remains if the connection sends nothing for long before the replay', () => {
    const venue = followed();
    venue.feedEvent('disconnected', 40_000);
    acknowledge(venue, '#71', 200_000);
    for (const at of [229_999, 230_000, 280_000]) venue.clock(at);
    receive(venue, '#71', 290_000, [190_000, 191_000]);
    venue.clock(291_000);
    expect(ranges(venue).slice(5)).toEqual(['#71 gap@31000 gap 31000 open', '#71 gap@31000 gap 31000 190000']);
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
      fc.record({ kind: fc.constant('trade' as const), coin, count: fc.integer({ min: 1, max: 2 * REPLAYED }) }),
      fc.record({
        kind: fc.constantFrom('subscribe' as const, 'unsubscribe' as const),
        coin,
        // Of a subscription: ms from the acknowledgement to the replay, or null if the process is killed in between.
        replayAfter: fc.oneof(
          { weight: 3, arbitrary: fc.constant(0) },
          { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 * MINUTE }) },
          { weight: 1, arbitrary: fc.constant(null) },
        ),
      }),
      fc.record({ kind: fc.constantFrom('lose', 'kill', 'close', 'list', 'day', 'restart', 'tick'), coin }),
    ),
  });
  interface Step {
    readonly after: number;
    readonly what: { kind: string; coin: string; count?: number; replayAfter?: number | null };
  }

  /** Each coin has a connection of its own. */
  const FEEDS: Readonly<Record<string, string>> = { '#70': 'venue_a.ws.1', '#71': 'venue_a.ws.2' };

  /**
   * Plays steps, with a venue that sends the trades of subscribed coins and replays the newest ones.
   * @param beganInProgress true for a recording in which both coins were subscribed before, without kills.
   */
  function play(steps: readonly Step[], beganInProgress: boolean) {
    const venue = driveVenueA();
    const traded = new Map<string, number[]>(Object.keys(FEEDS).map((name) => [name, []]));
    const subscribed = new Set<string>();
    const connected = new Set<string>();
    let isListed = true;
    let at = 0;
    const connect = (name: string) => {
      const feed = FEEDS[name]!;
      if (connected.has(feed)) return;
      connected.add(feed);
      venue.feedEvent('connected', at, feed);
      if (beganInProgress) venue.feedEvent('recorded', at, feed);
    };
    const kill = () => {
      venue.stage.restart();
      subscribed.clear();
      connected.clear();
    };
    /** Time passes. Clock marks come in between, and pongs, but for those of a connection that is behind. */
    const pass = (after: number, behind?: string) => {
      for (const mark of [at + 30_000, at + after]) {
        if (mark > at + after) continue;
        for (const feed of connected) if (feed !== behind) venue.frame('pong', null, mark, feed);
        venue.clock(mark);
      }
      at += after;
    };
    if (beganInProgress)
      for (const [name, feed] of Object.entries(FEEDS)) {
        venue.feedEvent('recorded', 0, feed);
        connected.add(feed);
        subscribed.add(name);
      }
    list(venue, 0, [7, 9]);
    for (const { after, what } of steps) {
      pass(after);
      const { kind, coin: name, count = 1, replayAfter = 0 } = what;
      const feed = FEEDS[name]!;
      if (kind === 'trade' && isListed) {
        for (let nth = 0; nth < count; nth += 1, at += 1) {
          traded.get(name)!.push(at);
          if (subscribed.has(name)) receive(venue, name, at, [at], feed);
        }
      } else if (kind === 'subscribe' && isListed && !subscribed.has(name)) {
        connect(name);
        acknowledge(venue, name, at, { feed });
        subscribed.add(name);
        if (replayAfter === null && !beganInProgress) kill();
        else {
          // A connection sends in order: nothing comes before the replay.
          if (replayAfter) pass(replayAfter, feed);
          const replayed = traded.get(name)!.slice(-REPLAYED);
          if (replayed.length > 0) receive(venue, name, at, replayed, feed);
        }
      } else if (kind === 'unsubscribe' && subscribed.delete(name)) {
        acknowledge(venue, name, at, { feed, method: 'unsubscribe' });
      } else if (kind === 'lose' && connected.delete(feed)) {
        venue.feedEvent('disconnected', at, feed);
        subscribed.delete(name);
      } else if (kind === 'kill' && connected.size > 0 && !beganInProgress) {
        kill();
        at += 5_000;
        connect(name);
      } else if (kind === 'close' && isListed) {
        isListed = false;
        list(venue, at, [9]);
        for (const open of subscribed) acknowledge(venue, open, at + 1, { feed: FEEDS[open]!, method: 'unsubscribe' });
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
    // What is missed after a kill is known once the next process is connected.
    for (const name of traded.keys()) connect(name);
    return { venue, traded };
  }

  it('a minute that no gap touches has all trades of its coin', () => {
    let complete = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), fc.boolean(), (steps, beganInProgress) => {
        const { venue, traded } = play(steps, beganInProgress);
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
