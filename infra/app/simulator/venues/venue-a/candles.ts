import type { VenueATrade } from '../../world/ladder-book.ts';
import { pointText } from '../../world/number-text.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../world/time.ts';
import { WORLD_START_MS } from '../../world/world.ts';
import type { Market, Markets } from './market.ts';

const INTERVAL_MS: Readonly<Record<string, number>> = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '8h': 8 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
  '3d': 3 * DAY_MS,
  '1w': 7 * DAY_MS,
  '1M': 30 * DAY_MS,
};
/** The venue stores so many bars of a coin and an interval (venue page, section 5). */
const STORED_BARS = 5_000;
/** Most trades from which the exact bars of one answer are calculated. Older bars are estimated from a sample. */
const MAX_TRADES = 300_000;
/** Trades of an estimated bar. */
const SAMPLE = 40;
const TRADES_PER_TURN = 20_000;

export function isInterval(interval: unknown): interval is string {
  return typeof interval === 'string' && Object.hasOwn(INTERVAL_MS, interval);
}

/** Start of the bar that contains a time, and of the next bar. Months follow the calendar. */
function barAround(interval: string, atMs: number): { openMs: number; nextMs: number } {
  if (interval === '1M') {
    const at = new Date(atMs);
    const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
    return { openMs: Date.UTC(year, month), nextMs: Date.UTC(year, month + 1) };
  }
  const lengthMs = INTERVAL_MS[interval]!;
  const openMs = Math.floor(atMs / lengthMs) * lengthMs;
  return { openMs, nextMs: openMs + lengthMs };
}

/** A bar that is calculated from trades, which must be added in order. */
export class Bar {
  readonly #coin: string;
  readonly #interval: string;
  readonly openMs: number;
  readonly nextMs: number;
  #open = '';
  #close = '';
  #high = '';
  #low = '';
  #highPx = 0;
  #lowPx = 0;
  #volume = 0;
  #decimals = 0;
  #count = 0;
  #newest = -1;

  constructor(coin: string, interval: string, around: { openMs: number; nextMs: number }) {
    this.#coin = coin;
    this.#interval = interval;
    this.openMs = around.openMs;
    this.nextMs = around.nextMs;
  }

  /** Adds a trade. Ignores one whose event number is not above the newest. */
  add(trade: VenueATrade): void {
    if (trade.event <= this.#newest) return;
    this.#newest = trade.event;
    const px = trade.px / 10 ** trade.priceDecimals;
    const text = pointText(trade.px, trade.priceDecimals);
    if (this.#count === 0) this.#open = text;
    if (this.#count === 0 || px > this.#highPx) {
      this.#highPx = px;
      this.#high = text;
    }
    if (this.#count === 0 || px < this.#lowPx) {
      this.#lowPx = px;
      this.#low = text;
    }
    this.#close = text;
    this.#volume += trade.sz;
    this.#decimals = trade.sizeDecimals;
    this.#count += 1;
  }

  /** Makes the number of trades what it is in truth, and the volume what it would be if all were like those added. */
  scaleTo(count: number): void {
    if (this.isEmpty) return;
    this.#volume = Math.round((this.#volume / this.#count) * count);
    this.#count = count;
  }

  get close(): string {
    return this.#close;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** JSON text of the bar; without trades all its prices are `carried`. */
  text(carried: string): string {
    const [open, close, high, low] = this.isEmpty
      ? [carried, carried, carried, carried]
      : [this.#open, this.#close, this.#high, this.#low];
    const volume = pointText(this.#volume, this.#decimals);
    return `{"t":${this.openMs},"T":${this.nextMs - 1},"s":"${this.#coin}","i":"${this.#interval}","o":"${open}","c":"${close}","h":"${high}","l":"${low}","v":"${volume}","n":${this.#count}}`;
  }
}

/** The current bar with all its trades so far; null if they are too many to add up. */
export function formingBar(markets: Markets, market: Market, interval: string, atMs: number): Bar | null {
  const around = barAround(interval, atMs);
  if (markets.countTrades(market, around.openMs, atMs + 1) > MAX_TRADES) return null;
  const bar = new Bar(market.coin, interval, around);
  for (const trade of markets.tradesBetween(market, around.openMs, atMs + 1)) bar.add(trade);
  return bar;
}

/** Start of the oldest bar that the venue stores, of the newest `STORED_BARS` at a time. */
function oldestStored(interval: string, nowMs: number): number {
  let { openMs } = barAround(interval, nowMs);
  // Months follow the calendar, and no other length.
  if (interval !== '1M') return openMs - (STORED_BARS - 1) * INTERVAL_MS[interval]!;
  for (let bars = 1; bars < STORED_BARS && openMs > 0; bars += 1) openMs = barAround(interval, openMs - 1).openMs;
  return openMs;
}

/** The earliest exact bar of an answer within its limit of trades: the one that contains `fromMs`, or a later one. */
function earliest(markets: Markets, market: Market, interval: string, fromMs: number, toMs: number): number {
  let openMs = barAround(interval, toMs).openMs;
  let trades = markets.countTrades(market, openMs, toMs + 1);
  if (trades > MAX_TRADES) return toMs + 1;
  while (openMs > fromMs) {
    const before = barAround(interval, openMs - 1).openMs;
    trades += markets.countTrades(market, before, openMs);
    if (trades > MAX_TRADES) break;
    openMs = before;
  }
  return openMs;
}

/** Adds a sample of the trades of [fromMs, toMs): `o`, `c` and `n` get exact, `h`, `l` and `v` are those of the sample. */
function addSample(bar: Bar, markets: Markets, market: Market, fromMs: number, toMs: number): void {
  for (const trade of markets.sampledTrades(market, fromMs, toMs, SAMPLE)) bar.add(trade);
  bar.scaleTo(markets.countTrades(market, fromMs, toMs));
}

/**
 * Answer to `candleSnapshot`: ascending bars, from the one that contains `startMs` to the one that contains `endMs`, of
 * those that the venue stores, while the market was listed. The newest bars are calculated from exactly the trades of the trades channel, those
 * beyond `MAX_TRADES` trades are estimated. Yields to the event loop between batches of trades.
 */
export async function candlesText(
  markets: Markets,
  market: Market,
  interval: string,
  startMs: number,
  endMs: number,
  nowMs: number,
): Promise<string> {
  const toMs = Math.min(endMs, nowMs, market.delistedAtMs - 1);
  const bars: string[] = [];
  const oldestMs = Math.max(oldestStored(interval, nowMs), WORLD_START_MS, market.listedAtMs);
  if (toMs < oldestMs || toMs < startMs) return '[]';
  let { openMs: fromMs } = barAround(interval, Math.max(startMs, oldestMs));
  const exactMs = earliest(markets, market, interval, fromMs, toMs);
  const [before] = markets.recentTrades(market, fromMs, 1);
  let carried = before ? pointText(before.px, before.priceDecimals) : null;
  let sinceTurn = 0;
  while (fromMs <= toMs) {
    const bar = new Bar(market.coin, interval, barAround(interval, fromMs));
    const untilMs = Math.min(bar.nextMs, nowMs + 1);
    if (fromMs < exactMs) {
      addSample(bar, markets, market, fromMs, untilMs);
      sinceTurn += SAMPLE;
    } else {
      for (const trade of markets.tradesBetween(market, fromMs, untilMs)) {
        bar.add(trade);
        sinceTurn += 1;
      }
    }
    if (!bar.isEmpty) carried = bar.close;
    if (carried !== null) bars.push(bar.text(carried));
    fromMs = bar.nextMs;
    if (sinceTurn > TRADES_PER_TURN) {
      sinceTurn = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return `[${bars.join(',')}]`;
}
