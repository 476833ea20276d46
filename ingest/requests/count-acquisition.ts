import type { Metrics } from '#infra/telemetry/metrics';
import type { ProviderFamily } from '#schemas/venues/accounts';
import { UpstreamError } from '../feed/errors.ts';

/** Runs an acquisition that a read caused, and counts its outcome. */
export async function countAcquisition<T>(
  { accountAcquisitions }: Pick<Metrics, 'accountAcquisitions'>,
  venue: ProviderFamily,
  acquire: () => Promise<T>,
): Promise<T> {
  const count = (outcome: string) => accountAcquisitions.inc({ venue, cause: 'read', outcome });
  try {
    const result = await acquire();
    count('complete');
    return result;
  } catch (error) {
    const isLimited = error instanceof UpstreamError && error.code === 'upstream_rate_limited';
    count(isLimited ? 'no_room' : 'failed');
    throw error;
  }
}
