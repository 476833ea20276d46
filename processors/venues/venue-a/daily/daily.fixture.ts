/** Drives the stage of daily rows, and calculates a row from trades by the rules alone. */
import { type Decimal, formatDecimal, multiply, parseDecimal } from '#schemas/domain/decimal';
import { aCandle, aCandleRange } from '#schemas/testing/records.fixture';
import {
  type Candle,
  type CandleRange,
  candleRangeTopic,
  candleTopic,
  venueCandleRangeTopics,
  venueCandleTopics,
} from '#schemas/topics/candles';
import { clockTopic } from '#schemas/topics/control';
import { dailyRowTopic, type SpotSample, spotSampleTopic } from '#schemas/topics/daily';
import { driveStage } from '../../../testing/drive-stage.fixture.ts';
import { createDailyStage } from './stage.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** A UTC midnight, 2026-03-01. */
export const MIDNIGHT = Date.UTC(2026, 2, 1);

const VENUE = { source: 'official_api', receivedAt: MIDNIGHT };

export function driveDaily() {
  const stage = driveStage(createDailyStage());
  return {
    stage,
    /** A minute from recorded trades. */
    bar: (fields: Partial<Candle>) =>
      stage.feed(candleTopic, aCandle({ receivedAt: fields.openTime ?? MIDNIGHT, ...fields })),
    /** A range of recorded trades. */
    range: (fields: Partial<CandleRange>) =>
      stage.feed(fields.kind === 'complete' ? candleRangeTopic : venueCandleRangeTopics.venue_a, aCandleRange(fields)),
    venueBar: (fields: Partial<Candle>) => stage.feed(venueCandleTopics.venue_a, aCandle({ ...VENUE, ...fields })),
    venueRange: (fields: Partial<CandleRange>) =>
      stage.feed(venueCandleRangeTopics.venue_a, aCandleRange({ ...VENUE, id: `response ${fields.from}`, ...fields })),
    sample: (sample: SpotSample) => stage.feed(spotSampleTopic, sample),
    clock: (receivedAt: number) =>
      stage.feed(clockTopic, {
        receivedAt,
        tick: true,
        hour: receivedAt % HOUR === 0,
        day: receivedAt % DAY === 0,
      }),
    rows: () => stage.emittedTo(dailyRowTopic),
  };
}

/** A trade by its prices and times alone. */
export interface PlainTrade {
  readonly ts: number;
  readonly price: string;
  readonly qty: string;
}

/** The figures of a day from its trades in order of time; `known` returns those that are known of a bucket. */
export function figuresOf(day: number, known: (from: number, until: number) => readonly PlainTrade[]) {
  const all: PlainTrade[] = [];
  let amount = 0n;
  let parts = 0;
  for (let from = day; from < day + DAY; from += 5 * MINUTE) {
    const trades = known(from, from + 5 * MINUTE);
    if (trades.length === 0) continue;
    parts += 1;
    const volume = sumOf(trades);
    amount += multiply(parseDecimal(trades.at(-1)!.price), volume);
    all.push(...trades);
  }
  const prices = all.map(({ price }) => parseDecimal(price)).sort((a, b) => (a < b ? -1 : Number(a > b)));
  return all.length === 0
    ? null
    : {
        open: all[0]!.price,
        high: formatDecimal(prices.at(-1)!),
        low: formatDecimal(prices[0]!),
        close: all.at(-1)!.price,
        volume: formatDecimal(sumOf(all)),
        amount: formatDecimal(amount as Decimal),
        parts,
      };
}

function sumOf(trades: readonly PlainTrade[]): Decimal {
  return trades.reduce((sum, { qty }) => sum + parseDecimal(qty), 0n) as Decimal;
}

/** Bars of a length from trades in order of time. */
export function barsOf(trades: readonly PlainTrade[], lengthMs: number): Partial<Candle>[] {
  const buckets = new Map<number, PlainTrade[]>();
  for (const trade of trades) {
    const openTime = Math.floor(trade.ts / lengthMs) * lengthMs;
    buckets.set(openTime, [...(buckets.get(openTime) ?? []), trade]);
  }
  return [...buckets].map(([openTime, [...found]]) => {
    const prices = found.map(({ price }) => Number(price));
    const [open, close] = [found[0]!.price, found.at(-1)!.price];
    const [high, low] = [String(Math.max(...prices)), String(Math.min(...prices))];
    const volume = formatDecimal(sumOf(found));
    return { openTime, intervalMs: lengthMs, open, high, low, close, volume, trades: found.length };
  });
}
