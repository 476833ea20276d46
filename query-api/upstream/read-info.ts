import { type InfoRequest, type InfoResult, infoRead } from '#schemas/requests/venue-a-info';
import type { IngestRequests } from '../routes/route.ts';
import { apiErrorOf } from './api-error-of.ts';

export const PROVIDER = 'venue_a';

/** Reads `info` of venue_a through ingest. Rejects with an `ApiError` if the read fails. */
export async function readInfo(ingest: IngestRequests, request: InfoRequest): Promise<InfoResult> {
  try {
    return (await ingest.send(infoRead, request)).result;
  } catch (error) {
    throw apiErrorOf(PROVIDER, error);
  }
}
