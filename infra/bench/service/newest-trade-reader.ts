/** Reads of the newest trades over REST on schedule, whether or not the one before was answered. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ANSWER_TIMEOUT_MS, readJson, type StartedService } from './start-service.ts';

/** The coins that are traded most: one of them every 16 to 35 ms at 3,000 events a second. */
const COINS = ['BTC', 'ETH', 'SOL'];
/** Answers are kept for 5 s for each coin and limit. At 20 reads a second, so many limits leave none to be given again. */
const LIMITS = 40;

interface CoinTrades {
  readonly trades: readonly { readonly ts: number }[];
}

/** The path of the nth read: no two of 120 that follow each other are the same. */
export function pathOfRead(nth: number): string {
  const limit = 1 + (Math.floor(nth / COINS.length) % LIMITS);
  return `/v1/markets/venue_a/coins/${COINS[nth % COINS.length]}/trades?limit=${limit}`;
}

export interface ReadSchedule {
  readonly perSecond: number;
  readonly durationMs: number;
  /** Called for each read that is started, with the milliseconds since the first was due. */
  readonly onRead?: (elapsedMs: number) => void;
}

/**
 * The age of the newest trade in each answer, in ms, when it arrived; of a read without an answer in time, the time that
 * it was waited for. Throws for a read that is refused.
 */
export async function readNewestTrades(
  service: StartedService,
  { perSecond, durationMs, onRead = () => {} }: ReadSchedule,
): Promise<number[]> {
  const began = performance.now();
  const all = Math.round((durationMs * perSecond) / 1_000);
  const reads: Promise<number>[] = [];
  while (reads.length < all) {
    const elapsed = performance.now() - began;
    onRead(elapsed);
    while (reads.length < Math.min(all, 1 + Math.floor((elapsed * perSecond) / 1_000))) {
      const read = ageOfNewest(service, pathOfRead(reads.length));
      // Looked at by `Promise.all` below, when all have been started.
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
  if (answer === null) return ANSWER_TIMEOUT_MS;
  const [newest] = answer.trades;
  if (newest === undefined) throw new Error(`${path}: no trades`);
  return Date.now() - newest.ts;
}

/** Waits until every coin has trades to read. Throws when that takes too long. */
export async function waitForTrades(service: StartedService, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (const coin of COINS) {
    // Another limit each time, for the reason that `LIMITS` gives.
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
