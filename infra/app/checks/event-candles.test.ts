/**
 * Compares candles of an event, from trades of two venues through the stage and the store, with a calculation over all
 * trades: both sides of each market, an inverse leg, trades that the chain drops, gaps, and the venue's minutes that repair parts of them.
 */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { createCandlesStage } from '#processors/candles/stage';
import { driveStage } from '#processors/testing/drive-stage.fixture';
import { type CandleTimes, readEventCandles } from '#query-api/queries/read-event-candles';
import { insertRows } from '#query-api/testing/insert-rows.fixture';
import { openTestStore } from '#query-api/testing/open-test-store.fixture';
import { aLink, aTrade } from '#query-api/testing/records.fixture';
import { INTERVAL_NAMES, INTERVALS, type Interval } from '#schemas/domain/candles/sources';
import { type Decimal, formatDecimal, parseDecimal, UNIT } from '#schemas/domain/decimal';
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { candleRangesTable } from '#schemas/tables/candle-ranges';
import { aCandle, aCandleRange } from '#schemas/testing/records.fixture';
import { type CandleRange, candleRangeTopic, candleTopic, START_RANGE_ID } from '#schemas/topics/candles';
import { tradeTopics } from '#schemas/topics/normalised';

const { store, close } = await openTestStore();
afterAll(close);

const MINUTE = 60_000;
const DAY = Date.UTC(2026, 2, 1);
const SPAN = 3 * 3_600_000 - MINUTE;

/** The bars of these tests are complete, whatever the time is. */
const NO_TIMES: CandleTimes = { now: null, tablesAt: null, chainAt: null };
const LINKS = [
  aLink({ providerMarketId: '0xb', yesInstrument: '111', noInstrument: '222', polarity: 'inverse' }),
  aLink({ provider: 'venue_a_outcome', providerMarketId: '#70', yesInstrument: '#70', noInstrument: '#71' }),
];
/** Both outcomes of each market, YES first. */
const MARKETS = [
  { provider: 'venue_a_outcome', marketId: '#70', sides: ['#70', '#71'] },
  { provider: 'venue_b', marketId: '0xb', sides: ['111', '222'] },
] as const;
const INSTRUMENTS = MARKETS.flatMap(({ sides }) => sides);
const isChain = (instrument: string) => !instrument.startsWith('#');

/** Often among the first minutes, where many trades are in one minute. */
const time = fc.oneof(fc.integer({ min: 0, max: SPAN }), fc.integer({ min: 0, max: 5 * MINUTE }));

const happened = fc.record({
  instrument: fc.constantFrom(...INSTRUMENTS),
  at: time,
  cents: fc.integer({ min: 1, max: 99 }),
  qty: fc.integer({ min: 1, max: 50 }),
  reverted: fc.boolean(),
});
type Happened = typeof happened extends fc.Arbitrary<infer T> ? T : never;
type Placed = Happened & { readonly arrival: number };

const spanArbitrary = fc
  .tuple(time, time)
  .map(([a, b]) => ({ from: DAY + Math.min(a, b), until: DAY + Math.max(a, b) }));
type Span = typeof spanArbitrary extends fc.Arbitrary<infer T> ? T : never;

/** A time in which trades of a coin were missed, inclusive, and the minutes of the venue's bars that were requested. */
const gapArbitrary = fc
  .record({
    instrument: fc.constantFrom(...MARKETS[0].sides),
    span: spanArbitrary,
    isRepaired: fc.boolean(),
    others: fc.array(spanArbitrary, { maxLength: 2 }),
  })
  .map(({ instrument, span, isRepaired, others }) => {
    const whole = { from: minuteOf(span.from), until: minuteOf(span.until) + MINUTE };
    const requested = others.map(({ from, until }) => ({ from: minuteOf(from), until: minuteOf(until) }));
    return { instrument, ...span, repairs: [...(isRepaired ? [whole] : []), ...requested].filter(isLong) };
  });
type Gap = typeof gapArbitrary extends fc.Arbitrary<infer T> ? T : never;

const minuteOf = (ts: number) => Math.floor(ts / MINUTE) * MINUTE;
const isLong = ({ from, until }: Span) => from < until;

const history = fc.record({
  trades: fc.array(happened, { minLength: 1, maxLength: 40, size: 'max' }),
  gaps: fc.array(gapArbitrary, { minLength: 1, maxLength: 2 }),
  windows: fc.array(
    fc.record({
      interval: fc.constantFrom(...INTERVAL_NAMES),
      limit: fc.integer({ min: 1, max: 20 }),
      start: fc.option(fc.integer({ min: 0, max: SPAN })),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

const price = ({ cents }: Happened) => (BigInt(cents) * 10n ** 16n) as Decimal;
/** The price in YES terms of the event. */
function eventPrice(trade: Happened): Decimal {
  const isYes = ['222', '#70'].includes(trade.instrument);
  return isYes ? price(trade) : ((UNIT - price(trade)) as Decimal);
}

async function insertBars(trades: readonly Placed[]) {
  const stage = driveStage(createCandlesStage());
  const send = (trade: Placed, status: 'pending' | 'confirmed' | 'reverted') => {
    const { instrument, at, arrival } = trade;
    const chain = isChain(instrument);
    const record = aTrade({
      id: `${arrival}`,
      provider: chain ? 'venue_b' : 'venue_a_outcome',
      instrument,
      marketId: chain ? '0xb' : '#70',
      ts: DAY + at,
      receivedAt: DAY + SPAN,
      arrival,
      price: formatDecimal(price(trade)),
      qty: String(trade.qty),
      blockNumber: chain ? 5 : null,
      status,
    });
    stage.feed(chain ? tradeTopics.venue_b : tradeTopics.venue_a, record, { key: instrument });
  };
  for (const trade of trades) send(trade, isChain(trade.instrument) ? 'pending' : 'confirmed');
  for (const trade of trades) if (isChain(trade.instrument) && trade.reverted) send(trade, 'reverted');
  expect(stage.deadLetters).toEqual([]);
  await insertRows(store, candleBarsTable, stage.emittedTo(candleTopic));
  await insertRows(store, candleRangesTable, [...stage.emittedTo(candleRangeTopic), ...coinStarts(trades)]);
}

/** The gaps before the first recorded trades of coins, as the normaliser states them. */
function coinStarts(trades: readonly Placed[]): CandleRange[] {
  return [...startsOf(trades)].flatMap(([coin, { ts }]) =>
    isChain(coin)
      ? []
      : [
          aCandleRange({
            ...{ provider: 'venue_a_outcome', coin, source: 'trades', id: START_RANGE_ID },
            ...{ kind: 'gap', from: 0, until: ts },
          }),
        ],
  );
}

/** Since when each instrument is recorded: coins from their first trade, tokens from the first one of the chain until then. */
function startsOf(trades: readonly Placed[]) {
  const starts = new Map<string, { first: number; ts: number }>();
  let chain = Number.POSITIVE_INFINITY;
  for (const { instrument, at } of trades) {
    const ts = DAY + at;
    if (ts >= (starts.get(instrument)?.first ?? Number.POSITIVE_INFINITY)) continue;
    if (isChain(instrument)) chain = Math.min(chain, ts);
    starts.set(instrument, { first: ts, ts: isChain(instrument) ? chain : ts });
  }
  return starts;
}

/** Inserts the ranges of the gaps, and the venue's minutes: all that it has, though they count only where requested. */
async function insertRepairs(trades: readonly Placed[], gaps: readonly Gap[]) {
  const ranges = gaps.flatMap(({ instrument: coin, from, until, repairs }, nth) => {
    const own = { provider: 'venue_a_outcome', coin };
    return [
      aCandleRange({ ...own, source: 'trades', kind: 'gap', id: `gap ${nth}`, from, until }),
      ...repairs.map((span, at) =>
        aCandleRange({ ...own, source: 'official_api', id: `response ${nth} ${at}`, ...span }),
      ),
    ];
  });
  const coins = new Set(gaps.map(({ instrument }) => instrument));
  const minutes = [...coins].flatMap((coin) => {
    const own = trades.filter(({ instrument }) => instrument === coin);
    return [...new Set(own.map(({ at }) => minuteOf(DAY + at)))].map((openTime) => {
      const traded = sorted(own.filter(({ at }) => minuteOf(DAY + at) === openTime));
      return aCandle({
        provider: 'venue_a_outcome',
        coin,
        source: 'official_api',
        openTime,
        ...figures(traded, price),
      });
    });
  });
  await insertRows(store, candleBarsTable, minutes);
  await insertRows(store, candleRangesTable, ranges);
}

const sorted = (trades: readonly Placed[]) => [...trades].sort((a, b) => a.at - b.at || a.arrival - b.arrival);

/** The bar of trades in order. */
function figures(trades: readonly Placed[], priceOf: (trade: Placed) => Decimal) {
  const prices = trades.map(priceOf);
  const rising = [...prices].sort((a, b) => (a < b ? -1 : 1));
  return {
    open: formatDecimal(prices[0]!),
    high: formatDecimal(rising.at(-1)!),
    low: formatDecimal(rising[0]!),
    close: formatDecimal(prices.at(-1)!),
    volume: String(trades.reduce((sum, { qty }) => sum + qty, 0)),
    trades: trades.length,
  };
}

/** The known trades of a side in a bucket, and the minutes of which the venue's bars are used. */
interface Side {
  readonly source: 'trades' | 'official_api' | null;
  readonly trades: readonly Placed[];
  readonly repaired: ReadonlySet<number>;
}

/** The candles of all buckets, by the rules of the contract, minute by minute from all trades. */
function plainCandles(all: readonly Placed[], recorded: readonly Placed[], stepMs: number, gaps: readonly Gap[]) {
  const remains = ({ instrument, reverted }: Placed) => !isChain(instrument) || !reverted;
  const starts = startsOf(recorded);
  const sideOf = (instrument: string, bucket: number): Side => {
    const own = gaps.filter((gap) => gap.instrument === instrument);
    // Trades of the day may have been missed before the first one of a coin, and before the first one of the chain.
    const start = starts.get(instrument)?.ts ?? Number.NEGATIVE_INFINITY;
    const isOurs = (minute: number) =>
      minute > start && !own.some(({ from, until }) => minuteOf(from) <= minute && until >= minute);
    const isRepaired = (minute: number) =>
      own.some(({ repairs }) => repairs.some(({ from, until }) => from <= minute && minute < until));
    const within = (trades: readonly Placed[]) =>
      trades.filter(
        (trade) => trade.instrument === instrument && Math.floor((DAY + trade.at) / stepMs) * stepMs === bucket,
      );
    const minutes = Array.from({ length: stepMs / MINUTE }, (_, nth) => bucket + nth * MINUTE);
    const ofOthers = minutes.filter((minute) => !isOurs(minute));
    if (!ofOthers.every(isRepaired))
      return { source: null, trades: within(recorded).filter(remains), repaired: new Set() };
    const repaired = new Set(ofOthers);
    const known = [
      ...within(recorded).filter(({ at }) => !repaired.has(minuteOf(DAY + at))),
      ...within(all).filter(({ at }) => repaired.has(minuteOf(DAY + at))),
    ];
    return { source: repaired.size > 0 ? 'official_api' : 'trades', trades: known.filter(remains), repaired };
  };
  const buckets = [...new Set(all.map(({ at }) => Math.floor((DAY + at) / stepMs) * stepMs))].sort((a, b) => a - b);
  return buckets.flatMap((ts) =>
    MARKETS.flatMap(({ provider, marketId, sides }) => {
      const found = sides.map((instrument) => sideOf(instrument, ts));
      const trades = sorted(found.flatMap((side) => side.trades));
      if (trades.length === 0) return [];
      /** Trades of a minute in the order in which they count: of a repaired one the YES coin decides. */
      const ofMinute = (minute: number) => {
        const own = trades.filter(({ at }) => minuteOf(DAY + at) === minute);
        const ofYes = own.filter(({ instrument }) => instrument === sides[0]);
        return found.some(({ repaired }) => repaired.has(minute)) && ofYes.length > 0 ? ofYes : own;
      };
      const sources = found.map(({ source }) => source);
      const source = sources.includes(null) ? null : sources.includes('official_api') ? 'official_api' : 'trades';
      const [first, last] = [trades[0]!, trades.at(-1)!].map(({ at }) => ofMinute(minuteOf(DAY + at)));
      const [open, close] = [first![0]!, last!.at(-1)!].map((trade) => formatDecimal(eventPrice(trade)));
      return [{ provider, marketId, ts, ...figures(trades, eventPrice), open, close, source }];
    }),
  );
}

it('candles of an event equal a calculation over all of its trades', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ trades, gaps, windows }) => {
      await store.command('TRUNCATE TABLE candle_bars');
      await store.command('TRUNCATE TABLE candle_ranges');
      const all = trades.map((trade, nth) => ({ ...trade, arrival: nth + 1 }));
      const isMissed = ({ instrument, at }: Placed) =>
        gaps.some((gap) => gap.instrument === instrument && DAY + at > gap.from && DAY + at < gap.until);
      const recorded = all.filter((trade) => !isMissed(trade));
      await insertBars(recorded);
      await insertRepairs(all, gaps);
      for (const { interval, limit, start } of windows) {
        const stepMs = INTERVALS[interval];
        const from = start === null ? null : DAY + start;
        const window = { interval, limit, start: from, end: null };
        const candles = plainCandles(all, recorded, stepMs, gaps).filter(({ ts }) => from === null || ts >= from);
        const last = from === null ? candles.at(-limit) : candles[limit - 1];
        const expected = candles.filter(({ ts }) => !last || (from === null ? ts >= last.ts : ts <= last.ts));
        expect((await readEventCandles(store, LINKS, window, NO_TIMES, 'org')).toArray()).toEqual(expected);
      }
    }),
    { numRuns: Number(process.env.PARALLAX_PROPERTY_RUNS ?? 12) },
  );
});

it('a repaired minute opens and closes as the bar of the YES coin, where it has one', async () => {
  await store.command('TRUNCATE TABLE candle_bars');
  await store.command('TRUNCATE TABLE candle_ranges');
  const coins = ['#70', '#71'].map((coin) => ({ provider: 'venue_a_outcome', coin }));
  const repaired = { source: 'official_api', openTime: DAY, volume: '2' };
  const places = { openTs: DAY + MINUTE, openArrival: 1, closeTs: DAY + MINUTE, closeArrival: 1 };
  const bars = [
    aCandle({ ...coins[0], ...repaired, open: '0.4', high: '0.6', low: '0.3', close: '0.5' }),
    aCandle({ ...coins[1], ...repaired, open: '0.1', high: '0.9', low: '0.1', close: '0.8' }),
    aCandle({ ...coins[1], ...places, source: 'trades', openTime: DAY + MINUTE, close: '0.7', low: '0.2' }),
  ];
  await insertRows(store, candleBarsTable, bars);
  const ranges = coins.flatMap((coin) => [
    aCandleRange({ ...coin, source: 'trades', kind: 'gap', id: 'gap 1', from: DAY + 1, until: DAY + 2 }),
    aCandleRange({ ...coin, source: 'official_api', id: 'response 1', from: DAY, until: DAY + MINUTE }),
  ]);
  await insertRows(store, candleRangesTable, ranges);
  const [, outcome] = LINKS;
  let times = NO_TIMES;
  const read = async (interval: Interval) =>
    (await readEventCandles(store, [outcome!], { interval, limit: 9, start: null, end: null }, times, 'org')).toArray();
  const minute = { open: '0.4', close: '0.5', high: '0.9', low: '0.1', volume: '4', trades: 2, source: 'official_api' };
  expect((await read('1m'))[0]).toMatchObject(minute);
  expect(await read('1h')).toMatchObject([
    { open: '0.4', close: formatDecimal((UNIT - parseDecimal('0.7')) as Decimal), source: 'official_api' },
  ]);
  // The tables stopped within the second minute, more than 30 s ago.
  times = { now: DAY + 3 * MINUTE, tablesAt: DAY + 1.5 * MINUTE, chainAt: null };
  expect((await read('1m')).map(({ source }) => source)).toEqual(['official_api', null]);
  times = { now: DAY + 2 * MINUTE, tablesAt: DAY + 1.5 * MINUTE, chainAt: DAY };
  expect((await read('1m')).map(({ source }) => source)).toEqual(['official_api', 'trades']);
});

it('a minute of venue_b that ends after the newest followed block has no source, once that is 30 s behind', async () => {
  await store.command('TRUNCATE TABLE candle_bars');
  await store.command('TRUNCATE TABLE candle_ranges');
  const coin = { provider: 'venue_b', coin: '111', source: 'trades' };
  await insertRows(store, candleBarsTable, [
    aCandle({ ...coin, openTime: DAY, low: '0.2' }),
    aCandle({ ...coin, openTime: DAY + MINUTE, low: '0.2' }),
  ]);
  const read = async (chainAt: number) => {
    const times = { now: DAY + 2 * MINUTE, tablesAt: DAY + 2 * MINUTE, chainAt };
    const window = { interval: '1m', limit: 9, start: null, end: null } as const;
    return (await readEventCandles(store, [LINKS[0]!], window, times, 'org')).toArray().map(({ source }) => source);
  };
  expect(await read(DAY + 1.5 * MINUTE)).toEqual(['trades', 'trades']);
  expect(await read(DAY + 1.4 * MINUTE)).toEqual(['trades', null]);
});
