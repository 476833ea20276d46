import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_MS = 50;
const LONGEST_MS = 5_000;
const JITTER = 0.3;

/** Milliseconds before attempt `attempt + 1`: doubles from 50 ms to 5 s, plus or minus 30 percent. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return base * (1 + JITTER * (2 * random() - 1));
}

/** Waits before the next attempt. */
export async function backoff(attempt: number): Promise<void> {
  await sleep(backoffMs(attempt));
}
