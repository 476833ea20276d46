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
/** Most trades of a bar in progress that is published. */
const MAX_TRADES = 300_000;
/** Trades of an estimated bar. A bar with at most so many is exact. */
const SAMPLE = 60;
const TRADES_PER_TURN = 20_000;
/** Closed bars with more trades than this are calculated once. */
const CHEAP_TRADES = 1_000;
/** Such bars that are stored, the newest ones. */
const STORED_TEXTS = 10_000;

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

  get count(): number {
    return this.#count;
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

/** Adds a sample of the trades of [fromMs, toMs): `o`, `c` and `n` get exact, `h`, `l` and `v` are those of the sample. */
function addSample(bar: Bar, markets: Markets, market: Market, fromMs: number, toMs: number): void {
  for (const trade of markets.sampledTrades(market, fromMs, toMs, SAMPLE)) bar.add(trade);
  bar.scaleTo(markets.countTrades(market, fromMs, toMs));
}

/** Writes the answer to `candleSnapshot`. */
export type CandleWriter = (
  market: Market,
  interval: string,
  startMs: number,
  endMs: number,
  nowMs: number,
) => Promise<string>;

/**
 * Creates the writer of answers to `candleSnapshot`: ascending bars, from the one that contains the start to the one that
 * contains the end, of those that the venue stores, while the market was listed. It yields to the event loop between
 * batches of trades.
 *
 * Which bars are calculated from all their trades depends on the bar alone, so that every answer states the same of it:
 * those that end after `exactFromMs`, when trades are published, and those with few trades. Others are estimated.
 */
export function createCandleWriter(markets: Markets, exactFromMs: number): CandleWriter {
  const texts = new Map<string, { readonly text: string; readonly close: string }>();
  let sinceTurn = 0;
  const breathe = async (trades: number): Promise<void> => {
    sinceTurn += trades;
    if (sinceTurn <= TRADES_PER_TURN) return;
    sinceTurn = 0;
    await new Promise((resolve) => setImmediate(resolve));
  };
  const barOf = async (market: Market, interval: string, atMs: number, untilMs: number): Promise<Bar> => {
    const bar = new Bar(market.coin, interval, barAround(interval, atMs));
    if (bar.nextMs <= exactFromMs) {
      addSample(bar, markets, market, bar.openMs, untilMs);
      await breathe(SAMPLE);
      return bar;
    }
    let trades = 0;
    for (const trade of markets.tradesBetween(market, bar.openMs, untilMs)) {
      bar.add(trade);
      trades += 1;
      if (trades % TRADES_PER_TURN === 0) await breathe(TRADES_PER_TURN);
    }
    await breathe(trades % TRADES_PER_TURN);
    return bar;
  };
  return async (market, interval, startMs, endMs, nowMs) => {
    const toMs = Math.min(endMs, nowMs, market.delistedAtMs - 1);
    const bars: string[] = [];
    const oldestMs = Math.max(oldestStored(interval, nowMs), WORLD_START_MS, market.listedAtMs);
    if (toMs < oldestMs || toMs < startMs) return '[]';
    let { openMs: fromMs } = barAround(interval, Math.max(startMs, oldestMs));
    const [before] = markets.recentTrades(market, fromMs, 1);
    let carried = before ? pointText(before.px, before.priceDecimals) : null;
    while (fromMs <= toMs) {
      const { nextMs } = barAround(interval, fromMs);
      const key = `${market.coin} ${interval} ${fromMs}`;
      let known = texts.get(key);
      if (!known) {
        const bar = await barOf(market, interval, fromMs, Math.min(nextMs, nowMs + 1));
        if (!bar.isEmpty) carried = bar.close;
        known = { text: carried === null ? '' : bar.text(carried), close: carried ?? '' };
        if (nextMs <= nowMs && bar.count > CHEAP_TRADES) storeNewest(texts, key, known);
      }
      carried = known.close || null;
      if (known.text) bars.push(known.text);
      fromMs = nextMs;
    }
    return `[${bars.join(',')}]`;
  };
}

function storeNewest<T>(entries: Map<string, T>, key: string, entry: T): void {
  entries.set(key, entry);
  const [oldest] = entries.keys();
  if (entries.size > STORED_TEXTS) entries.delete(oldest!);
}
