/** Delays before reconnecting. */
const FIRST_MS = 250;
const LONGEST_MS = 30_000;
const JITTER = 0.3;

/**
 * Milliseconds before the next attempt after this many consecutive failures (from 1). Doubles from 250 ms to 30 s, plus or
 * minus 30 percent, so that feeds that failed together do not reconnect together.
 */
export function reconnectDelayMs(failures: number, random: () => number = Math.random): number {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(Math.max(failures, 1) - 1, 16));
  return base * (1 + JITTER * (2 * random() - 1));
}
