import type { WatchedCandle, WatchedTrade } from './watched.ts';

const MINUTE_MS = 60_000;
const MINUTES_SHOWN = 60;

export interface Candles {
  readonly bars: readonly WatchedCandle[];
  /** True if the newest bar holds every trade up to now; otherwise it is from REST and may be cached for up to 30 s. */
  readonly isLive: boolean;
}

/**
 * One-minute candles of a coin: from the trades of the socket for every minute that it received completely, and from
 * REST for all others. The minute of the first trade may be incomplete, so its bar is REST's.
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
      // Rounds off binary fractions that sums of decimals accumulate.
      volume: Number((bar.volume + qty).toFixed(10)),
    });
    for (const oldMinute of this.bars.keys())
      if (oldMinute <= minute - MINUTES_SHOWN * MINUTE_MS) this.bars.delete(oldMinute);
  }

  /** Discards the bars after trades were missed. Counting resumes with the next minute. */
  reset(): void {
    this.bars.clear();
    this.firstMinute = null;
  }

  /** Returns REST's bars, each replaced by the socket's bar of the same minute. */
  merge(rest: readonly WatchedCandle[]): Candles {
    const merged = new Map([...rest.map((bar) => [bar.ts, bar] as const), ...this.bars]);
    const bars = [...merged.values()].sort((a, b) => a.ts - b.ts).slice(-MINUTES_SHOWN);
    const newest = bars.at(-1);
    return { bars, isLive: newest !== undefined && this.bars.has(newest.ts) };
  }
}
