import { sourceBarOf } from '#schemas/domain/candles/select';
import { INTERVALS, type Interval } from '#schemas/domain/candles/sources';
import type { Span } from '#schemas/domain/candles/spans';
import { DecimalError } from '#schemas/domain/decimal';
import { FieldError } from '#schemas/domain/json-fields';
import type { InfoResult } from '#schemas/requests/venue-a-info';
import { readSnapshot, type SnapshotRequest, snapshotRequest } from '#schemas/venues/venue-a/candle-snapshot';
import type { FetchedBars } from '../queries/select-stored-bars.ts';
import type { BarInstrument } from '../queries/stored-bar.ts';
import type { IngestRequests } from '../routes/route.ts';
import { readInfo } from './read-info.ts';
import { unusableResponse } from './unusable-response.ts';

/** An instrument, and whether its market has not ended. */
export interface ListedInstrument extends BarInstrument {
  readonly isListed: boolean;
}

/**
 * Reads the buckets of a span from venue_a through ingest, which stores the same response. Rejects with an `ApiError` if
 * the read fails.
 * @param now the pipeline's time, unix ms.
 */
export async function fetchBars(
  ingest: IngestRequests,
  { provider, coin, isListed }: ListedInstrument,
  interval: Interval,
  { from, until }: Span,
  now: number,
): Promise<FetchedBars> {
  const request = snapshotRequest(coin, interval, from, until, now);
  const result = await readInfo(ingest, request);
  const { native } = result;
  // The venue knows no such coin, and so no bars.
  if (native === null) return { bars: [], ranges: [] };
  const { startTime, endTime } = request.req;
  try {
    const snapshots = responsesIn(result, { coin, intervalMs: INTERVALS[interval], startTime, endTime }).map(
      ({ range, body, fetchedAt }) => readSnapshot({ provider, isListed }, range, body, fetchedAt),
    );
    return {
      bars: snapshots.flatMap(({ bars }) => bars.map((bar) => ({ provider, coin, ...sourceBarOf(bar) }))),
      ranges: snapshots.flatMap(({ range }) => range ?? []),
    };
  } catch (error) {
    if (error instanceof FieldError || error instanceof DecimalError)
      throw unusableResponse(`the venue returned no bars of ${coin}`, native, error);
    throw error;
  }
}

/** The responses that a result consists of, each with the range that it answers. */
function responsesIn({ native, fetchedAt, parts }: InfoResult, range: SnapshotRequest) {
  if (!parts) return [{ range, body: native, fetchedAt }];
  return parts.map((part) => ({
    range: { ...range, startTime: part.startTime, endTime: part.endTime },
    body: (native as { readonly t: number }[]).filter(({ t }) => t >= part.startTime && t <= part.endTime),
    fetchedAt: part.fetchedAt,
  }));
}
