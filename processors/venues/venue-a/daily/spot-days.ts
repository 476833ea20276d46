/** Daily rows of spot pairs, from their hourly samples. */
import type { Emit } from '#infra/stages/stage';
import { DAY_MS } from '#schemas/domain/candles/daily';
import { formatDecimal, multiply, parseDecimal } from '#schemas/domain/decimal';
import { type DailyRow, dailyRowTopic, type SpotSample } from '#schemas/topics/daily';
import { dayText, startOfDay } from './days.ts';
import type { DailyState, PairDay } from './state.ts';

/** Samples of a day: one at each hour from 00:00 to 23:00 UTC. */
const SAMPLES = 24;

export function addSample({ pairs }: DailyState, sample: SpotSample): void {
  const { coin, receivedAt, markPrice } = sample;
  const day = startOfDay(receivedAt);
  const known = pairs.get(coin);
  if (known?.day !== day) {
    pairs.set(coin, { day, count: 1, open: markPrice, high: markPrice, low: markPrice, last: sample });
    return;
  }
  known.count += 1;
  known.last = sample;
  const price = parseDecimal(markPrice);
  if (price > parseDecimal(known.high)) known.high = markPrice;
  if (price < parseDecimal(known.low)) known.low = markPrice;
}

/** Emits the rows of the days that ended at a time or before, and drops their samples. */
export function emitPairs({ pairs }: DailyState, now: number, emit: Emit): void {
  for (const [coin, pair] of pairs) {
    if (pair.day + DAY_MS > now) continue;
    pairs.delete(coin);
    // The newest sample states which pair the name means at the end of the day.
    if (pair.count === SAMPLES && pair.last.canonical) emit(dailyRowTopic, pair.last.pair, rowOf(pair, now));
  }
}

function rowOf({ day, count, open, high, low, last }: PairDay, receivedAt: number): DailyRow {
  const { pair, markPrice, dayBaseVolume, dayNotionalVolume, circulatingSupply: supply } = last;
  return {
    tradeDate: dayText(day),
    marketType: 'spot',
    symbol: pair,
    receivedAt,
    open,
    high,
    low,
    close: markPrice,
    volume: dayBaseVolume,
    amount: dayNotionalVolume,
    marketCap: supply === null ? null : formatDecimal(multiply(parseDecimal(markPrice), parseDecimal(supply))),
    parts: count,
    complete: true,
    source: 'ctx_sample',
  };
}
