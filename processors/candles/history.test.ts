/**
 * Compares candles, from random trades through the stage to the selection, with a plain implementation that holds every
 * trade. `PARALLAX_PROPERTY_RUNS` sets the number of random histories.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Bar } from '#schemas/domain/candles/bars';
import { createSelector, type SourceBar, type SourceRange } from '#schemas/domain/candles/select';
import { INTERVALS, sourceRulesOf } from '#schemas/domain/candles/sources';
import { type Decimal, formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { candleRangeTopic, candleTopic } from '#schemas/topics/candles';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import { driveStage } from '../testing/drive-stage.fixture.ts';
import { createCandlesStage } from './stage.ts';

const RUNS = Number(process.env.PARALLAX_PROPERTY_RUNS ?? 400);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The start of a day. Trades happen in the hours from four hours later on, so that buckets of four hours differ. */
const DAY = 20_000 * 24 * HOUR;
const BASE = DAY + 3 * HOUR;
const SPAN = 2 * HOUR;

interface Happened {
  readonly ts: number;
  readonly price: number;
  readonly qty: number;
  /** True if the chain drops it. */
  readonly reverted: boolean;
  readonly repeats: number;
}

interface History {
  readonly isQuestion: boolean;
  readonly trades: readonly Happened[];
  readonly order: readonly number[];
  /** Times between which no trade is recorded. */
  readonly gap: readonly [number, number] | null;
  /** Minutes in which the venue is complete. */
  readonly venue: readonly [number, number] | null;
  readonly exchange: readonly [number, number] | null;
  /** Minutes in which the bars of the wanted length are complete, too. */
  readonly own: boolean;
  readonly now: number;
  readonly stepMs: number;
}

const time = fc.integer({ min: 0, max: SPAN - 1 }).map((at) => BASE + at);
const pair = fc.tuple(time, time).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
const happened = fc.record({
  ts: fc.oneof(
    time,
    time.map((at) => at - (at % MINUTE)),
  ),
  price: fc.integer({ min: 1, max: 99 }),
  qty: fc.integer({ min: 1, max: 9 }),
  reverted: fc.boolean(),
  repeats: fc.integer({ min: 0, max: 2 }),
});
const history: fc.Arbitrary<History> = fc.array(happened, { minLength: 1, maxLength: 12 }).chain((trades) =>
  fc.record({
    isQuestion: fc.boolean(),
    trades: fc.constant(trades),
    order: fc.shuffledSubarray([...trades.keys()], { minLength: trades.length, maxLength: trades.length }),
    gap: fc.option(pair),
    venue: fc.option(pair),
    exchange: fc.option(pair),
    own: fc.boolean(),
    now: fc.oneof(time, fc.constant(Number.POSITIVE_INFINITY)),
    stepMs: fc.constantFrom(...Object.values(INTERVALS)),
  }),
);

/** A trade with everything that its order depends on. */
interface Placed extends Happened {
  readonly arrival: number;
}

const text = (price: number) => `0.${String(price).padStart(2, '0')}`;
const floor = (at: number, step: number) => Math.floor(at / step) * step;

/** What a bar says, without what only joins need. */
function described(bar: Bar | undefined): string | null {
  if (!bar) return null;
  const { open, high, low, close, volume, trades } = bar;
  return `${[open, high, low, close, volume].map(formatDecimal).join(' ')} ${trades}`;
}

/** The bar of some trades, in the order of their times. */
function plainBar(trades: readonly Placed[]): string | null {
  if (trades.length === 0) return null;
  const sorted = [...trades].sort((a, b) => a.ts - b.ts || a.arrival - b.arrival);
  const prices = sorted.map(({ price }) => price);
  const figures = [prices[0]!, Math.max(...prices), Math.min(...prices), prices.at(-1)!].map(text);
  const volume = sorted.reduce((sum, { qty }) => sum + qty, 0);
  return `${figures.map((one) => formatDecimal(parseDecimal(one))).join(' ')} ${volume} ${sorted.length}`;
}

/** A stored bar of a venue or an exchange. */
function storedBar(source: string, intervalMs: number, openTime: number, trades: readonly Placed[]): SourceBar {
  const sorted = [...trades].sort((a, b) => a.ts - b.ts || a.arrival - b.arrival);
  const prices = sorted.map(({ price }) => parseDecimal(text(price)));
  const rising = [...prices].sort((a, b) => (a < b ? -1 : 1));
  const within = { from: openTime, until: openTime + intervalMs - 1, arrival: null };
  const volume = parseDecimal(String(sorted.reduce((sum, { qty }) => sum + qty, 0)));
  const bar = {
    open: prices[0]!,
    high: rising.at(-1)!,
    low: rising[0]!,
    close: prices.at(-1)!,
    volume: volume as Decimal,
    trades: sorted.length,
    openAt: within,
    closeAt: within,
  };
  return { source, intervalMs, openTime, receivedAt: 0, bar };
}

function barsOf(source: string, intervalMs: number, trades: readonly Placed[]): SourceBar[] {
  const starts = new Set(trades.map(({ ts }) => floor(ts, intervalMs)));
  return [...starts].map((start) =>
    storedBar(
      source,
      intervalMs,
      start,
      trades.filter(({ ts }) => floor(ts, intervalMs) === start),
    ),
  );
}

/** The trades of a history: which were recorded, in order of arrival, which of these remain, and which happened in the end. */
function placedOf({ isQuestion, trades, order, gap, now }: History) {
  const all = order.map((at, arrival) => ({ ...trades[at]!, arrival: arrival + 1 }));
  const placed = all.filter(({ ts }) => ts <= now);
  const recorded = placed.filter(({ ts }) => !gap || ts <= gap[0] || ts >= gap[1]);
  const remains = ({ reverted }: Happened) => !isQuestion || !reverted;
  return { recorded, remaining: recorded.filter(remains), final: placed.filter(remains) };
}

function record(given: History, recorded: readonly Placed[]) {
  const stage = driveStage(createCandlesStage());
  const send = (trade: Placed, status: Trade['status']) => {
    const instrument = given.isQuestion ? '111' : 'BTC';
    const full: Trade = {
      id: `t${trade.arrival}`,
      provider: given.isQuestion ? 'venue_b' : 'venue_a_perp',
      marketId: null,
      instrument,
      outcome: null,
      ts: trade.ts,
      receivedAt: BASE + SPAN,
      arrival: trade.arrival,
      side: 'buy',
      price: formatDecimal(parseDecimal(text(trade.price))),
      qty: String(trade.qty),
      usd: null,
      maker: null,
      taker: null,
      txHash: null,
      logIndex: null,
      tradeId: null,
      blockNumber: given.isQuestion ? 7 : null,
      blockHash: null,
      status,
    };
    stage.feed(given.isQuestion ? tradeTopics.venue_b : tradeTopics.venue_a, full, { key: instrument });
  };
  for (const trade of recorded) {
    send(trade, given.isQuestion ? 'pending' : 'confirmed');
    for (let nth = 0; nth < trade.repeats; nth += 1) send(trade, 'confirmed');
  }
  if (given.isQuestion) for (const trade of recorded) if (trade.reverted) send(trade, 'reverted');
  expect(stage.deadLetters).toEqual([]);
  const newest = new Map(stage.emittedTo(candleTopic).map((candle) => [candle.openTime, candle]));
  const ranges = new Map(stage.emittedTo(candleRangeTopic).map((range) => [range.id, range]));
  return { candles: [...newest.values()], ranges: [...ranges.values()] };
}

/** What the stage and the selection return for a bucket. */
function selectorFor(given: History) {
  const { recorded, final } = placedOf(given);
  const { isQuestion, stepMs, venue, exchange, own, gap, now } = given;
  const rules = sourceRulesOf(isQuestion ? 'venue_b' : 'venue_a_perp');
  const { candles, ranges: stated } = record(given, recorded);
  const ranges: SourceRange[] = [...stated];
  const gapRange = { source: rules.recorded, intervalMs: MINUTE, kind: 'gap' } as const;
  if (gap) ranges.push({ ...gapRange, from: gap[0], until: gap[1] });
  const bars: SourceBar[] = candles.map((candle) => {
    const { source, intervalMs, openTime, receivedAt, trades } = candle;
    const [open, high, low] = [candle.open, candle.high, candle.low].map(parseDecimal) as [Decimal, Decimal, Decimal];
    const moment = { from: openTime, until: openTime + MINUTE - 1, arrival: null };
    const [close, volume] = [parseDecimal(candle.close), parseDecimal(candle.volume)];
    const bar = { open, high, low, close, volume, trades, openAt: moment, closeAt: moment };
    return { source, intervalMs, openTime, receivedAt, bar };
  });
  for (const [source, range] of [
    ['official_api', venue],
    ['external_exchange', exchange],
  ] as const) {
    for (const intervalMs of new Set(own ? [MINUTE, stepMs] : [MINUTE])) {
      if (!range) continue;
      ranges.push({ source, intervalMs, kind: 'complete', from: range[0], until: range[1] });
      bars.push(...barsOf(source, intervalMs, source === 'official_api' ? final : other(final)));
    }
  }
  return createSelector({ rules, bars, ranges, stepMs, now });
}

/** The exchange sees other prices at the same times. */
const other = (trades: readonly Placed[]) => trades.map((trade) => ({ ...trade, price: 100 - trade.price }));

/** The rules of the contract, minute by minute, over all trades. */
function plainSelection(given: History, bucket: number): { source: string | null; bar: string | null } {
  const { recorded, remaining, final } = placedOf(given);
  const { isQuestion, stepMs, venue, exchange, own, gap, now } = given;
  const ours = isQuestion ? 'trades' : 'venue_node';
  const first = Math.min(...recorded.map(({ ts }) => ts));
  const isTouched = (minute: number) => gap !== null && gap[0] < minute + MINUTE && gap[1] >= minute;
  const isOurs = (minute: number) => (isQuestion || minute > first) && !isTouched(minute);
  const isWithin = (range: readonly [number, number] | null, from: number, length: number) =>
    range !== null && from >= range[0] && from + length <= range[1];
  const minutes = Array.from({ length: stepMs / MINUTE }, (_, nth) => bucket + nth * MINUTE).filter(
    (minute) => minute === bucket || minute <= now,
  );
  const within = (trades: readonly Placed[], from: number, length: number) =>
    trades.filter(({ ts }) => ts >= from && ts < from + length);
  if (minutes.every((minute) => isOurs(minute) || isWithin(venue, minute, MINUTE))) {
    const trades = minutes.flatMap((minute) => within(isOurs(minute) ? remaining : final, minute, MINUTE));
    return { source: minutes.every(isOurs) ? ours : 'official_api', bar: plainBar(trades) };
  }
  if (own && isWithin(venue, bucket, stepMs))
    return { source: 'official_api', bar: plainBar(within(final, bucket, stepMs)) };
  if (!isQuestion) {
    const isExchange = minutes.every((minute) => isWithin(exchange, minute, MINUTE));
    if (isExchange || (own && isWithin(exchange, bucket, stepMs))) {
      const [from, length] = isExchange ? [bucket, minutes.length * MINUTE] : [bucket, stepMs];
      return { source: 'external_exchange', bar: plainBar(within(other(final), from, length)) };
    }
  }
  return { source: null, bar: plainBar(within(remaining, bucket, stepMs)) };
}

it('candles of random histories equal those of a plain implementation that holds every trade', {
  timeout: 600_000,
}, () => {
  const sources = new Set<string | null>();
  fc.assert(
    fc.property(history, (given) => {
      if (placedOf(given).recorded.length === 0) return;
      const select = selectorFor(given);
      const last = Math.min(floor(BASE + SPAN, given.stepMs), floor(given.now, given.stepMs));
      for (let bucket = floor(BASE, given.stepMs); bucket <= last; bucket += given.stepMs) {
        const { source, bar } = select(bucket);
        expect({ source, bar: described(bar) }).toEqual(plainSelection(given, bucket));
        sources.add(source);
      }
    }),
    { numRuns: RUNS },
  );
  expect(sources).toEqual(new Set(['venue_node', 'trades', 'official_api', 'external_exchange', null]));
});
