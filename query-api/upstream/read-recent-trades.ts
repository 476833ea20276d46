import { setTimeout as sleep } from 'node:timers/promises';
import { DecimalError } from '#schemas/domain/decimal';
import { FieldError } from '#schemas/domain/json-fields';
import type { Provider } from '#schemas/domain/providers';
import { ApiError } from '#schemas/errors';
import { readTrades, tradeFields } from '#schemas/venues/venue-a/trades';
import type { ServedTrade } from '../queries/read-trades.ts';
import type { IngestRequests } from '../routes/route.ts';
import { readInfo } from './read-info.ts';
import { unusableResponse } from './unusable-response.ts';

/** A response waits no longer for this read (contract, Trades). */
const WAIT_MS = 2_000;

export interface RecentTrades {
  /** Newest first. */
  readonly trades: readonly ServedTrade[];
  /** Unix ms. */
  readonly fetchedAt: number;
}

/**
 * Reads the newest trades of a coin through ingest, which stores the same response. Null if the read fails or takes too
 * long: then the response has what is recorded. Ingest goes on with a read that takes longer.
 */
export async function fetchRecentTrades(
  ingest: IngestRequests,
  provider: Provider,
  coin: string,
  waitMs = WAIT_MS,
): Promise<RecentTrades | null> {
  const ended = new AbortController();
  const late = sleep(waitMs, null, { signal: ended.signal, ref: false }).catch(() => null);
  try {
    return await Promise.race([read(ingest, provider, coin), late]);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  } finally {
    ended.abort();
  }
}

async function read(ingest: IngestRequests, provider: Provider, coin: string): Promise<RecentTrades> {
  const { native, fetchedAt } = await readInfo(ingest, { type: 'recentTrades', coin });
  // The venue knows no such coin, and so no trades.
  if (native === null) return { trades: [], fetchedAt };
  try {
    return { trades: readTrades(native).map((trade) => tradeFields(provider, trade)), fetchedAt };
  } catch (error) {
    if (error instanceof FieldError || error instanceof DecimalError)
      throw unusableResponse(`the venue returned no trades of ${coin}`, native, error);
    throw error;
  }
}
