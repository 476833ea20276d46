import { type BackoffBounds, backoffMs } from '#infra/runtime/retry';

const BOUNDS: BackoffBounds = { firstMs: 250, longestMs: 30_000 };

/**
 * Milliseconds before the next attempt after this many consecutive failures (from 1). Doubles from 250 ms to 30 s, plus or
 * minus 30 percent, so that feeds that failed together do not reconnect together.
 */
export function reconnectDelayMs(failures: number, random: () => number = Math.random): number {
  return backoffMs(Math.max(failures, 1) - 1, random, BOUNDS);
}
