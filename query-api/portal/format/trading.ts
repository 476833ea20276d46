/** How much is traded on a venue now, from the trades that a channel sends; pure. */

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

/** `trading`, or `quiet` after a minute without a trade; null while neither is known. */
export function stateOfTrading({ since, lastAt }: Trading, now: number): 'trading' | 'quiet' | null {
  if (lastAt !== null && now - lastAt < QUIET_MS) return 'trading';
  return now - (lastAt ?? since) >= QUIET_MS ? 'quiet' : null;
}
