import { sourceBarOf } from '#schemas/domain/candles/select';
import type { Interval } from '#schemas/domain/candles/sources';
import type { Span } from '#schemas/domain/candles/spans';
import { DecimalError } from '#schemas/domain/decimal';
import { FieldError } from '#schemas/domain/json-fields';
import { readSnapshot, readSnapshotRequest, snapshotRequest } from '#schemas/venues/venue-a/candle-snapshot';
import type { FetchedBars } from '../queries/read-candles.ts';
import type { BarInstrument } from '../queries/read-source-bars.ts';
import type { IngestRequests } from '../routes/route.ts';
import { readInfo } from './read-info.ts';
import { unusableResponse } from './unusable-response.ts';

/**
 * Reads the buckets of a span from venue_a through ingest, which stores the same response. Rejects with an `ApiError` if
 * the read fails.
 */
export async function fetchBars(
  ingest: IngestRequests,
  { provider, coin }: BarInstrument,
  interval: Interval,
  { from, until }: Span,
): Promise<FetchedBars> {
  const request = snapshotRequest(coin, interval, from, until);
  const { native, fetchedAt } = await readInfo(ingest, request);
  // The venue knows no such coin, and so no bars.
  if (native === null) return { bars: [], ranges: [] };
  try {
    const { bars, range } = readSnapshot(provider, readSnapshotRequest(request)!, native, fetchedAt);
    return {
      bars: bars.map((bar) => ({ provider, coin, ...sourceBarOf(bar) })),
      ranges: range ? [range] : [],
    };
  } catch (error) {
    if (error instanceof FieldError || error instanceof DecimalError)
      throw unusableResponse(`the venue returned no bars of ${coin}`, native, error);
    throw error;
  }
}
