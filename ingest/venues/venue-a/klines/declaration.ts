/** Limits and intervals of the external exchange (its page of the venue). */

export interface ExchangeLimits {
  /** Weight that the exchange allows in a window. */
  readonly weight: number;
  readonly windowMs: number;
}
export const EXCHANGE_LIMITS: ExchangeLimits = { weight: 2_400, windowMs: 60_000 };
/** The part of the weight that is used: the rest is for requests that a killed process sent, and for other programs. */
export const WEIGHT_SHARE = 0.9;
/** The header with the weight that the exchange counted in the current minute, of all programs of this IP address. */
export const USED_WEIGHT_HEADER = 'x-mbx-used-weight-1m';
/** 418 follows on 429 if requests go on, and lasts for minutes to days. */
export const LIMIT_STATUSES = [418, 429] as const;
export const RETRY_AFTER_MIN_MS = 1_000;
export const RETRY_AFTER_MAX_MS = 7 * 86_400_000;
/** The exchange refuses some regions, for good. */
export const REFUSED_STATUSES: readonly (number | null)[] = [403, 451];
/** `code` of the answer about a symbol that the exchange does not know. */
export const UNKNOWN_SYMBOL = -1121;

export const LISTING_WEIGHT = 1;
/** Weight of a request for klines by its limit: the first entry whose rows are enough. */
export const KLINE_WEIGHTS = [
  { rows: 99, weight: 1 },
  { rows: 499, weight: 2 },
  { rows: 1_000, weight: 5 },
  { rows: Number.POSITIVE_INFINITY, weight: 10 },
] as const;
/** The largest weight of a request. */
export const WEIGHT_MAX = 10;

/** A bucket counts as closed this long after its end, since the clocks of this machine and the exchange differ. */
export const CLOSED_AFTER_MS = 10_000;
/** Failures in a row after which loading fails. */
export const FAILURES_MAX = 8;
/** Ingest loads in the background: once a day, and at most so many requests a second that live data is not delayed. */
export const BACKGROUND = { intervalMs: 86_400_000, pauseMs: 1_000 } as const;
