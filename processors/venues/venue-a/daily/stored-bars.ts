/** Bars of one day as the state holds them: packed, since there are hundreds of thousands of them. */
import { momentOf } from '#schemas/domain/candles/bars';
import type { SourceBar } from '#schemas/domain/candles/select';
import { MINUTE_MS } from '#schemas/domain/candles/sources';
import { parseDecimal } from '#schemas/domain/decimal';
import type { Candle } from '#schemas/topics/candles';
import type { PerpDay } from './state.ts';

type StoredBars = PerpDay['bars'];

function lengthKey(source: string, intervalMs: number): string {
  return `${intervalMs} ${source}`;
}

export function storeBar(bars: StoredBars, day: number, candle: Candle): void {
  const { source, intervalMs, openTime, open, high, low, close, volume, trades } = candle;
  const key = lengthKey(source, intervalMs);
  let minutes = bars.get(key);
  if (!minutes) {
    minutes = new Map();
    bars.set(key, minutes);
  }
  minutes.set((openTime - day) / MINUTE_MS, `${open} ${high} ${low} ${close} ${volume} ${trades}`);
}

/** The stored bars that begin before a time. */
export function storedBars(bars: StoredBars, day: number, until: number): SourceBar[] {
  const found: SourceBar[] = [];
  for (const [key, minutes] of bars) {
    const blank = key.indexOf(' ');
    const [intervalMs, source] = [Number(key.slice(0, blank)), key.slice(blank + 1)];
    for (const [minute, text] of minutes) {
      const openTime = day + minute * MINUTE_MS;
      if (openTime < until) found.push(unpack(source, intervalMs, openTime, text));
    }
  }
  return found;
}

/** Removes the bars that begin within a time. */
export function removeBars(bars: StoredBars, day: number, from: number, until: number): void {
  for (const [key, minutes] of bars) {
    for (const minute of minutes.keys()) {
      const openTime = day + minute * MINUTE_MS;
      if (openTime >= from && openTime < until) minutes.delete(minute);
    }
    if (minutes.size === 0) bars.delete(key);
  }
}

function unpack(source: string, intervalMs: number, openTime: number, text: string): SourceBar {
  const [open, high, low, close, volume, trades] = text.split(' ') as [string, string, string, string, string, string];
  const within = momentOf(null, null, openTime, intervalMs);
  const bar = {
    open: parseDecimal(open),
    high: parseDecimal(high),
    low: parseDecimal(low),
    close: parseDecimal(close),
    volume: parseDecimal(volume),
    trades: Number(trades),
    openAt: within,
    closeAt: within,
  };
  // When it was received only matters for a bar in progress.
  return { source, intervalMs, openTime, receivedAt: openTime, bar };
}
