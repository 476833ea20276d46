/** How much is traded on a venue now, from the trades that a channel sends; pure. */
import { isWorse, type PriceState } from '#schemas/domain/price-state';

/** Trades of this time count. */
export const WINDOW_MS = 10_000;
/** A venue without a trade for this long is quiet. */
export const QUIET_MS = 60_000;

export interface Trading {
  /** Unix ms since which trades are counted. */
  readonly since: number;
  /** Trades of the last seconds, in the order of their receipt. */
  readonly batches: readonly { readonly at: number; readonly count: number }[];
  /** Unix ms at which the newest trade arrived here; null before the first one. */
  readonly lastAt: number | null;
  /** Time from the receipt of the newest trade by the service until here, ms. */
  readonly delayMs: number | null;
}

export const noTrading = (since: number): Trading => ({ since, batches: [], lastAt: null, delayMs: null });

/**
 * Adds trades that arrived together.
 *
 * @param receivedAt when the service received the newest of them, unix ms.
 */
export function withTrades(trading: Trading, at: number, count: number, receivedAt: number): Trading {
  const recent = trading.batches.filter((batch) => batch.at > at - WINDOW_MS);
  return { ...trading, batches: [...recent, { at, count }], lastAt: at, delayMs: at - receivedAt };
}

/** Trades a second over the window, or over the time since which they are counted; null in the first second. */
export function tradesPerSecond({ since, batches }: Trading, now: number): number | null {
  const spanMs = Math.min(WINDOW_MS, now - since);
  if (spanMs < 1_000) return null;
  const count = batches.reduce((sum, batch) => (batch.at > now - spanMs ? sum + batch.count : sum), 0);
  return (count * 1_000) / spanMs;
}

export type TradingState = 'trading' | 'quiet';

/**
 * The state of a venue: that of its best prices if none of them is live, which trades alone do not show; else whether it
 * trades.
 *
 * @param prices states of those prices of its markets that are known here.
 */
export function stateOfVenue(
  trading: TradingState | null,
  prices: readonly PriceState[],
): TradingState | PriceState | null {
  const best = prices.reduce<PriceState | null>((a, b) => (a === null || isWorse(a, b) ? b : a), null);
  return best === null || best === 'live' ? trading : best;
}

/** `trading`, or `quiet` after a minute without a trade; null while neither is known. */
export function stateOfTrading({ since, lastAt }: Trading, now: number): TradingState | null {
  if (lastAt !== null && now - lastAt < QUIET_MS) return 'trading';
  return now - (lastAt ?? since) >= QUIET_MS ? 'quiet' : null;
}
