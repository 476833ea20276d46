import type { WatchedCandle, WatchedTrade } from './screen.ts';

const MINUTE_MS = 60_000;
const MINUTES_KEPT = 60;

export interface Candles {
  readonly bars: readonly WatchedCandle[];
  /** Whether the newest bar holds every trade up to now; otherwise REST may have cached it, for up to 30 s. */
  readonly isLive: boolean;
}

/**
 * One-minute candles of a coin: REST's, and for every minute that the socket has seen from its beginning, the bar of the
 * trades that came over the socket. The minute of the first trade may have begun before, so its bar stays REST's.
 */
export class LiveCandles {
  private readonly coin: string;
  private readonly bars = new Map<number, WatchedCandle>();
  /** The minute of the first trade; null until there is one. */
  private firstMinute: number | null = null;

  constructor(coin: string) {
    this.coin = coin;
  }

  add({ provider, marketId, ts, price, qty }: WatchedTrade): void {
    if (provider !== 'venue_a_perp' || marketId !== this.coin) return;
    const minute = Math.floor(Date.parse(ts) / MINUTE_MS) * MINUTE_MS;
    this.firstMinute ??= minute;
    if (minute <= this.firstMinute) return;
    const bar = this.bars.get(minute) ?? { ts: minute, open: price, high: price, low: price, close: price, volume: 0 };
    this.bars.set(minute, {
      ...bar,
      high: Math.max(bar.high, price),
      low: Math.min(bar.low, price),
      close: price,
      // Sums of decimals, without what binary fractions add to them.
      volume: Number((bar.volume + qty).toFixed(10)),
    });
    for (const kept of this.bars.keys()) if (kept <= minute - MINUTES_KEPT * MINUTE_MS) this.bars.delete(kept);
  }

  /** Call it when trades were missed: bars count again from the next minute on. */
  reset(): void {
    this.bars.clear();
    this.firstMinute = null;
  }

  /** REST's bars with the socket's in the place of those of the same minutes. */
  over(rest: readonly WatchedCandle[]): Candles {
    const merged = new Map([...rest.map((bar) => [bar.ts, bar] as const), ...this.bars]);
    const bars = [...merged.values()].sort((a, b) => a.ts - b.ts).slice(-MINUTES_KEPT);
    const newest = bars.at(-1);
    return { bars, isLive: newest !== undefined && this.bars.has(newest.ts) };
  }
}
