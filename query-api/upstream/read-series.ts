import { DecimalError } from '#schemas/domain/decimal';
import { FieldError } from '#schemas/domain/json-fields';
import { type SeriesPoint, SOURCES, type VenueSource, type Window } from '#schemas/domain/returns/series';
import { readPortfolio } from '#schemas/domain/returns/venue-a-series';
import { readUserPnl } from '#schemas/domain/returns/venue-b-series';
import { userPnlRead } from '#schemas/requests/venue-b-user-pnl';
import type { ProviderFamily } from '#schemas/venues/accounts';
import type { IngestRequests } from '../routes/route.ts';
import { apiErrorOf } from './api-error-of.ts';
import { readInfo } from './read-info.ts';
import { unusableResponse } from './unusable-response.ts';

export interface FetchedSeries {
  readonly source: VenueSource;
  /** None for an account that the venue does not know. */
  readonly points: readonly SeriesPoint[];
  /** Unix ms. */
  readonly fetchedAt: number;
}

type ReadSeries = (ingest: IngestRequests, address: string, window: Window) => Promise<FetchedSeries>;

const READERS: Readonly<Record<ProviderFamily, ReadSeries>> = {
  async venue_a(ingest, user, window) {
    const { native, fetchedAt } = await readInfo(ingest, { type: 'portfolio', user });
    const series = parsed('venue_a', native, () => readPortfolio(native));
    return { source: SOURCES.venue_a, points: series[window], fetchedAt };
  },
  async venue_b(ingest, address, window) {
    const { text, fetchedAt } = await ingest.send(userPnlRead, { address, window }).then(
      ({ result }) => result,
      (error: unknown) => {
        throw apiErrorOf('venue_b', error);
      },
    );
    const points = parsed('venue_b', text, () => readUserPnl(text));
    return { source: SOURCES.venue_b, points, fetchedAt };
  },
};

/**
 * Reads the series of an account through ingest, at most a minute old. Rejects with an `ApiError` if the read fails.
 * @param address in lower case.
 */
export function fetchSeries(
  ingest: IngestRequests,
  family: ProviderFamily,
  address: string,
  window: Window,
): Promise<FetchedSeries> {
  return READERS[family](ingest, address, window);
}

function parsed<T>(family: ProviderFamily, native: unknown, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof FieldError || error instanceof DecimalError)
      throw unusableResponse('the venue returned no series of this account', native, error, family);
    throw error;
  }
}
