import type { Metrics } from '#infra/telemetry/metrics';
import type { ProviderFamily } from '#schemas/venues/accounts';
import type { UpstreamError } from '../feed/errors.ts';
import { isNoRoom } from '../feed/reserve-in-time.ts';

type CountsAcquisitions = Pick<Metrics, 'accountAcquisitions'>;

/** Runs an acquisition that a read caused, and counts its outcome. */
export async function countAcquisition<T>(
  metrics: CountsAcquisitions,
  venue: ProviderFamily,
  acquire: () => Promise<T>,
): Promise<T> {
  try {
    const result = await acquire();
    count(metrics, venue, 'complete');
    return result;
  } catch (error) {
    countFailure(metrics, venue, error);
    throw error;
  }
}

/** Counts a request for an acquisition that waited too long for its turn, and returns the error. */
export function countExpired(metrics: CountsAcquisitions, venue: ProviderFamily, error: UpstreamError): UpstreamError {
  countFailure(metrics, venue, error);
  return error;
}

/** A response 429 of the venue is a failure: the request was sent, so there was room. */
function countFailure(metrics: CountsAcquisitions, venue: ProviderFamily, error: unknown): void {
  count(metrics, venue, isNoRoom(error) ? 'no_room' : 'failed');
}

function count({ accountAcquisitions }: CountsAcquisitions, venue: ProviderFamily, outcome: string): void {
  accountAcquisitions.inc({ venue, cause: 'read', outcome });
}
