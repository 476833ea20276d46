import type { Metrics } from '#infra/telemetry/metrics';
import type { ProviderFamily } from '#schemas/venues/accounts';
import type { UpstreamError } from '../feed/errors.ts';
import { isNoRoom } from '../feed/reserve-in-time.ts';
import type { AcquisitionCause } from './shared-acquisitions.ts';

type CountsAcquisitions = Pick<Metrics, 'accountAcquisitions'>;

/** Runs an acquisition, and counts its outcome. */
export async function countAcquisition<T>(
  metrics: CountsAcquisitions,
  venue: ProviderFamily,
  cause: AcquisitionCause,
  acquire: () => Promise<T>,
): Promise<T> {
  try {
    const result = await acquire();
    count(metrics, venue, cause, 'complete');
    return result;
  } catch (error) {
    countFailure(metrics, venue, cause, error);
    throw error;
  }
}

/** Counts a read of an account that waited too long for its turn, and returns the error. */
export function countExpired(metrics: CountsAcquisitions, venue: ProviderFamily, error: UpstreamError): UpstreamError {
  countFailure(metrics, venue, 'read', error);
  return error;
}

/** A response 429 of the venue is a failure: the request was sent, so there was room. */
function countFailure(
  metrics: CountsAcquisitions,
  venue: ProviderFamily,
  cause: AcquisitionCause,
  error: unknown,
): void {
  count(metrics, venue, cause, isNoRoom(error) ? 'no_room' : 'failed');
}

function count(
  { accountAcquisitions }: CountsAcquisitions,
  venue: ProviderFamily,
  cause: AcquisitionCause,
  outcome: string,
): void {
  accountAcquisitions.inc({ venue, cause, outcome });
}
