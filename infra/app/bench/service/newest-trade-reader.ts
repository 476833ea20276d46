/** Reads the newest trades over REST on schedule, without waiting for the previous response. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_TIMEOUT_MS, readJson, type StartedService } from './start-service.ts';

/** The most traded coins: each has a trade every 16 to 35 ms at 3,000 events a second. */
const COINS = ['BTC', 'ETH', 'SOL'];
/**
 * Responses are cached for 5 s for each coin and limit. With this many limits, 20 reads a second get no cached
 * response.
 */
const LIMITS = 40;

interface CoinTrades {
  readonly trades: readonly { readonly ts: number }[];
}

/** Path of the nth read. Any 120 successive paths are different. */
export function pathOfRead(nth: number): string {
  const limit = 1 + (Math.floor(nth / COINS.length) % LIMITS);
  return `/v1/markets/venue_a/coins/${COINS[nth % COINS.length]}/trades?limit=${limit}`;
}

export interface ReadSchedule {
  readonly perSecond: number;
  readonly durationMs: number;
  /** Called when a read starts, with the milliseconds since the first one. */
  readonly onRead?: (elapsedMs: number) => void;
}

/**
 * Returns the age in ms of the newest trade of each response on arrival. A read that times out counts with its timeout.
 * Throws if a read is refused.
 */
export async function readNewestTrades(
  service: StartedService,
  { perSecond, durationMs, onRead = () => {} }: ReadSchedule,
): Promise<number[]> {
  const startedAt = performance.now();
  const total = Math.round((durationMs * perSecond) / 1_000);
  const reads: Promise<number>[] = [];
  while (reads.length < total) {
    const elapsed = performance.now() - startedAt;
    onRead(elapsed);
    while (reads.length < Math.min(total, 1 + Math.floor((elapsed * perSecond) / 1_000))) {
      const read = ageOfNewest(service, pathOfRead(reads.length));
      // Errors are handled by `Promise.all` below, once all reads have started.
      read.catch(() => {});
      reads.push(read);
    }
    await sleep(1_000 / perSecond);
  }
  return Promise.all(reads);
}

async function ageOfNewest(service: StartedService, path: string): Promise<number> {
  const answer = await readJson<CoinTrades>(service, path).catch((error: Error) => {
    if (error.name === 'TimeoutError') return null;
    throw error;
  });
  if (answer === null) return RESPONSE_TIMEOUT_MS;
  const [newest] = answer.trades;
  if (newest === undefined) throw new Error(`${path}: no trades`);
  return Date.now() - newest.ts;
}

/** Waits until every coin has trades. Throws after the timeout. */
export async function waitForTrades(service: StartedService, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (const coin of COINS) {
    // Uses a new limit each time to avoid cached responses.
    for (let limit = LIMITS + 1; ; limit += 1) {
      const path = `/v1/markets/venue_a/coins/${coin}/trades?limit=${limit}`;
      const trades = await readJson<CoinTrades>(service, path).then(
        (answer) => answer.trades.length,
        (error: Error) => error,
      );
      if (typeof trades === 'number' && trades > 0) break;
      if (Date.now() > deadline) throw new Error(`${coin} has no trades after ${timeoutMs} ms`, { cause: trades });
      await sleep(200);
    }
  }
}
