/**
 * Compares candles of random histories, from trades through the stage and the tables to the window of a response, with a
 * plain implementation that holds every trade. Most histories are read from tables in memory, some from the embedded store.
 * `PARALLAX_PROPERTY_RUNS` sets the number of the former.
 */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { createCandlesStage } from '#processors/candles/stage';
import type { Reader } from '#query-api/queries/query';
import { type CandlesOfCoin, readCandles } from '#query-api/queries/read-candles';
import { CandleStore } from '#query-api/testing/candle-store.fixture';
import { insertRows } from '#query-api/testing/insert-rows.fixture';
import { openTestStore } from '#query-api/testing/open-test-store.fixture';
import { aTrade } from '#query-api/testing/records.fixture';
import { INTERVALS, sourceRulesOf } from '#schemas/domain/candles/sources';
import { formatDecimal } from '#schemas/domain/decimal';
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { candleRangesTable } from '#schemas/tables/candle-ranges';
import { aCandle, aCandleRange } from '#schemas/testing/records.fixture';
import { type Candle, type CandleRange, candleTopic } from '#schemas/topics/candles';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import type { Emit, StageRecord } from '../../stages/stage.ts';
import {
  BASE,
  DAY,
  floor,
  formingTrades,
  type History,
  HOUR,
  history,
  MINUTE,
  type Placed,
  type PlainBar,
  placedOf,
  plainBar,
  plainSelector,
  plainWindow,
  SPAN,
  seenByExchange,
  textOf,
} from './candle-histories.fixture.ts';

const RUNS = Number(process.env.PARALLAX_PROPERTY_RUNS ?? 10_000);
/** Histories that are read from the embedded store. */
const STORE_RUNS = 100;

const { store, close } = await openTestStore();
afterAll(close);

type Coin = Pick<Candle, 'provider' | 'coin'>;
/** All versions of bars and ranges, in order. */
interface Records {
  readonly bars: Candle[];
  readonly ranges: CandleRange[];
}

/** @param nth names one coin of several. */
const coinOf = ({ isQuestion }: History, nth = 0): Coin =>
  isQuestion ? { provider: 'venue_b', coin: `111${nth}` } : { provider: 'venue_a_perp', coin: `BTC${nth}` };

/** Sends trades through the stage, repeated and reverted as the history states. */
function runStage(given: History, { provider, coin: instrument }: Coin, recorded: readonly Placed[]): Records {
  const stage = createCandlesStage();
  const state = stage.initialState();
  const topic = given.isQuestion ? tradeTopics.venue_b : tradeTopics.venue_a;
  const { handle } = stage.inputs.find((input) => input.topic === topic)!;
  const emitted: Records = { bars: [], ranges: [] };
  const emit = Object.assign(
    (to: unknown, _key: string, value: unknown) => {
      if (to === candleTopic) emitted.bars.push(value as Candle);
      else emitted.ranges.push(value as CandleRange);
    },
    {
      remove: () => {},
      deadLetter: (reason: string) => {
        throw new Error(reason);
      },
    },
  ) as Emit;
  const send = ({ arrival, ts, price, qty }: Placed, status: Trade['status']) => {
    const blockNumber = given.isQuestion ? 7 : null;
    const place = { provider, instrument, ts, receivedAt: BASE + SPAN, arrival, blockNumber, status };
    const value = aTrade({ ...place, id: `t${arrival}`, price: textOf(price), qty: String(qty) });
    const { receivedAt } = value;
    const record: StageRecord<Trade> = {
      topic: topic.name,
      partition: 0,
      offset: 0,
      key: instrument,
      receivedAt,
      value,
    };
    handle(state, record as never, emit);
  };
  for (const trade of recorded) {
    send(trade, given.isQuestion ? 'pending' : 'confirmed');
    for (let nth = 0; nth < trade.repeats; nth += 1) send(trade, 'confirmed');
  }
  if (given.isQuestion) for (const trade of recorded) if (trade.reverted) send(trade, 'reverted');
  return emitted;
}

/** All bars of a length, also outside the ranges in which they are complete. */
function barsOf(
  given: History,
  own: Coin & Pick<Candle, 'source' | 'intervalMs'>,
  trades: readonly Placed[],
  isFormed: boolean,
) {
  const { intervalMs } = own;
  const starts = new Set(trades.map(({ ts }) => floor(ts, intervalMs)));
  return [...starts].flatMap((openTime) => {
    const forming = isFormed ? formingTrades(given, trades, openTime, intervalMs) : null;
    const of = forming ?? trades.filter(({ ts }) => floor(ts, intervalMs) === openTime);
    const receivedAt = forming ? given.now - given.formingAge! : 0;
    return aCandle({ ...own, openTime, receivedAt, ...plainBar(of)! });
  });
}

/** The records of a history, of all sources. */
function recordsOf(given: History, own: Coin): Records {
  const { recorded, final } = placedOf(given);
  const { recorded: source } = sourceRulesOf(own.provider);
  const stepMs = INTERVALS[given.interval];
  const { bars, ranges } = runStage(given, own, recorded);
  for (const [nth, { from, until, isReal }] of given.gaps.entries()) {
    const range = { ...own, source, id: `gap ${nth}` };
    ranges.push(aCandleRange({ ...range, kind: 'gap', from, until }));
    if (!isReal) ranges.push(aCandleRange({ ...range, kind: 'none', from, until: from }));
  }
  for (const [nth, range] of given.ranges.entries()) {
    const { lengthMs: intervalMs, from, until } = range;
    if (from < until)
      ranges.push(aCandleRange({ ...own, source: range.source, intervalMs, id: `${nth}`, from, until }));
  }
  for (const intervalMs of new Set([MINUTE, HOUR, stepMs])) {
    bars.push(...barsOf(given, { ...own, source: 'official_api', intervalMs }, final, intervalMs === stepMs));
    bars.push(...barsOf(given, { ...own, source: 'external_exchange', intervalMs }, seenByExchange(final), false));
  }
  return { bars, ranges };
}

function described({ select }: CandlesOfCoin, bucket: number): { source: string | null; bar: PlainBar | null } {
  const { source, bar } = select(bucket);
  if (!bar) return { source, bar: null };
  const { trades } = bar;
  const [open, high, low] = [formatDecimal(bar.open), formatDecimal(bar.high), formatDecimal(bar.low)];
  const [close, volume] = [formatDecimal(bar.close), formatDecimal(bar.volume)];
  return { source, bar: { open, high, low, close, volume, trades } };
}

/** Compares texts first: a comparison of objects takes most of the time of a history. */
function expectSame(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected);
}

/** Compares all candles of a history and those of its window. Returns the sources of the buckets. */
async function compare(given: History, own: Coin, from: Reader): Promise<Set<string | null>> {
  const sources = new Set<string | null>();
  const { now, interval } = given;
  const stepMs = INTERVALS[interval];
  const read = (window: History['window']) =>
    readCandles(from, own, { interval, ...window }, Number.isFinite(now) ? now : null);
  const plain = plainSelector(given);
  const all = await read({ start: DAY, end: DAY + 24 * HOUR, limit: 5_000 });
  const last = Math.min(floor(BASE + SPAN, stepMs), floor(now, stepMs));
  const [served, expected, candles] = [[] as unknown[], [] as unknown[], [] as (PlainBar & { ts: number })[]];
  for (let bucket = floor(BASE, stepMs); bucket <= last; bucket += stepMs) {
    const { source, bar } = plain(bucket);
    served.push(described(all, bucket));
    expected.push({ source, bar });
    sources.add(source);
    if (bar) candles.push({ ts: bucket, ...bar, ...{ source } });
  }
  expectSame(served, expected);
  const { window } = given;
  if (window.start === null || window.end === null || window.start < window.end)
    expectSame((await read(window)).candles.toArray(), plainWindow(candles, window, stepMs));
  return sources;
}

const ALL_SOURCES = ['venue_node', 'trades', 'official_api', 'external_exchange', null] as const;

it('candles of random histories equal those of a plain implementation that holds every trade', {
  timeout: 600_000,
}, async () => {
  const sources = new Set<string | null>();
  const check = async (given: History): Promise<void> => {
    if (placedOf(given).recorded.length === 0) return;
    const own = coinOf(given);
    const tables = new CandleStore();
    const { bars, ranges } = recordsOf(given, own);
    tables.addBars(bars);
    tables.addRanges(ranges);
    for (const source of await compare(given, own, tables)) sources.add(source);
  };
  await fc.assert(fc.asyncProperty(history, check), { numRuns: RUNS });
  expect(sources).toEqual(new Set(ALL_SOURCES));
});

it('candles of random histories that the store holds equal those of the plain implementation too', {
  timeout: 120_000,
}, async () => {
  let coins = 0;
  const sources = new Set<string | null>();
  const check = async (given: History): Promise<void> => {
    if (placedOf(given).recorded.length === 0) return;
    // Each history has a coin of its own, so that no other one is in the tables.
    coins += 1;
    const own = coinOf(given, coins);
    const { bars, ranges } = recordsOf(given, own);
    await insertRows(store, candleBarsTable, bars);
    await insertRows(store, candleRangesTable, ranges);
    for (const source of await compare(given, own, store)) sources.add(source);
  };
  await fc.assert(fc.asyncProperty(history, check), { numRuns: STORE_RUNS });
  expect(sources.size).toBeGreaterThan(2);
});
