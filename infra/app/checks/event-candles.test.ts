/**
 * Compares candles of an event, from trades of two venues through the stage and the store, with a calculation over all
 * trades: both sides of each market, an inverse leg, trades that the chain drops, a gap, and repaired minutes.
 */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { createCandlesStage } from '#processors/candles/stage';
import { driveStage } from '#processors/testing/drive-stage.fixture';
import { readEventCandles } from '#query-api/queries/read-event-candles';
import { insertRows } from '#query-api/testing/insert-rows.fixture';
import { openTestStore } from '#query-api/testing/open-test-store.fixture';
import { aLink, aTrade } from '#query-api/testing/records.fixture';
import { INTERVAL_NAMES, INTERVALS, type Interval } from '#schemas/domain/candles/sources';
import { type Decimal, formatDecimal, parseDecimal, UNIT } from '#schemas/domain/decimal';
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { candleRangesTable } from '#schemas/tables/candle-ranges';
import { aCandle, aCandleRange } from '#schemas/testing/records.fixture';
import { candleRangeTopic, candleTopic } from '#schemas/topics/candles';
import { tradeTopics } from '#schemas/topics/normalised';

const { store, close } = await openTestStore();
afterAll(close);

const MINUTE = 60_000;
const DAY = Date.UTC(2026, 2, 1);
const SPAN = 3 * 3_600_000 - MINUTE;

const LINKS = [
  aLink({ providerMarketId: '0xb', yesInstrument: '111', noInstrument: '222', polarity: 'inverse' }),
  aLink({ provider: 'venue_a_outcome', providerMarketId: '#70', yesInstrument: '#70', noInstrument: '#71' }),
];
const INSTRUMENTS = ['111', '222', '#70', '#71'];
const isChain = (instrument: string) => !instrument.startsWith('#');

const happened = fc.record({
  instrument: fc.constantFrom(...INSTRUMENTS),
  at: fc.oneof(fc.integer({ min: 0, max: SPAN }), fc.integer({ min: 0, max: 5 * MINUTE })),
  cents: fc.integer({ min: 1, max: 99 }),
  qty: fc.integer({ min: 1, max: 50 }),
  reverted: fc.boolean(),
});
type Happened = typeof happened extends fc.Arbitrary<infer T> ? T : never;
type Placed = Happened & { readonly arrival: number };

const history = fc.record({
  trades: fc.array(happened, { minLength: 1, maxLength: 40 }),
  gap: fc.option(fc.tuple(fc.integer({ min: 0, max: SPAN }), fc.integer({ min: 0, max: SPAN }))),
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
  await insertRows(store, candleRangesTable, stage.emittedTo(candleRangeTopic));
}

/**
 * Since when each instrument is recorded: coins from their first trade, as all trades are received at the end, and tokens
 * from the first one of the chain until then.
 */
function startsOf(trades: readonly Placed[]) {
  const starts = new Map<string, { provider: string; first: number; ts: number }>();
  let chain = Number.POSITIVE_INFINITY;
  for (const { instrument, at } of trades) {
    const [ts, provider] = [DAY + at, isChain(instrument) ? 'venue_b' : 'venue_a_outcome'] as const;
    if (ts >= (starts.get(instrument)?.first ?? Number.POSITIVE_INFINITY)) continue;
    if (isChain(instrument)) chain = Math.min(chain, ts);
    starts.set(instrument, { provider, first: ts, ts: isChain(instrument) ? chain : ts });
  }
  return [...starts.values()];
}

/** The candles of all buckets, by the rules of the contract, from all trades. */
function plainCandles(trades: readonly Placed[], stepMs: number, gap: readonly [number, number] | null) {
  const remaining = trades.filter(({ instrument, reverted }) => !isChain(instrument) || !reverted);
  const starts = startsOf(trades);
  const keys = remaining.map(({ instrument, at }) => {
    const ts = Math.floor((DAY + at) / stepMs) * stepMs;
    return isChain(instrument) ? `${ts} venue_b 0xb` : `${ts} venue_a_outcome #70`;
  });
  return [...new Set(keys)].sort().map((key) => {
    const [start, provider, marketId] = key.split(' ') as [string, string, string];
    const ts = Number(start);
    const own = remaining.filter((_, nth) => keys[nth] === key).sort((a, b) => a.at - b.at || a.arrival - b.arrival);
    const prices = own.map(eventPrice);
    const rising = [...prices].sort((a, b) => (a < b ? -1 : 1));
    // Trades of the day may have been missed before the first one of a coin, and before the first one of the chain.
    const isBeforeStart = starts.some((start) => start.provider === provider && ts <= start.ts);
    const isTouched =
      gap !== null &&
      provider === 'venue_a_outcome' &&
      Math.floor((DAY + gap[0]) / MINUTE) * MINUTE < ts + stepMs &&
      DAY + gap[1] >= ts;
    return {
      provider,
      marketId,
      ts,
      open: formatDecimal(prices[0]!),
      high: formatDecimal(rising.at(-1)!),
      low: formatDecimal(rising[0]!),
      close: formatDecimal(prices.at(-1)!),
      volume: String(own.reduce((sum, { qty }) => sum + qty, 0)),
      trades: own.length,
      source: isTouched || isBeforeStart ? null : 'trades',
    };
  });
}

it('candles of an event equal a calculation over all of its trades', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ trades, gap, windows }) => {
      await store.command('TRUNCATE TABLE candle_bars');
      await store.command('TRUNCATE TABLE candle_ranges');
      const placed = trades.map((trade, nth) => ({ ...trade, arrival: nth + 1 }));
      await insertBars(placed);
      const missed = gap && ([Math.min(...gap), Math.max(...gap)] as const);
      if (missed) {
        const ofNo = { provider: 'venue_a_outcome', coin: '#71', source: 'trades', kind: 'gap', id: 'gap 1' } as const;
        const range = aCandleRange({ ...ofNo, from: DAY + missed[0], until: DAY + missed[1] });
        await insertRows(store, candleRangesTable, [range]);
      }
      for (const { interval, limit, start } of windows) {
        const stepMs = INTERVALS[interval];
        const from = start === null ? null : DAY + start;
        const window = { interval, limit, start: from, end: null };
        const all = plainCandles(placed, stepMs, missed).filter(({ ts }) => from === null || ts >= from);
        const isWithin = from === null ? all.at(-limit) : all[limit - 1];
        const expected = all.filter(({ ts }) => !isWithin || (from === null ? ts >= isWithin.ts : ts <= isWithin.ts));
        expect((await readEventCandles(store, LINKS, window, null)).toArray()).toEqual(expected);
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
  const read = async (interval: Interval) =>
    (await readEventCandles(store, [outcome!], { interval, limit: 9, start: null, end: null }, null)).toArray();
  const minute = { open: '0.4', close: '0.5', high: '0.9', low: '0.1', volume: '4', trades: 2, source: 'official_api' };
  expect((await read('1m'))[0]).toMatchObject(minute);
  expect(await read('1h')).toMatchObject([
    { open: '0.4', close: formatDecimal((UNIT - parseDecimal('0.7')) as Decimal), source: 'official_api' },
  ]);
});
