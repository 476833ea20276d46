import { ApiError } from '#schemas/errors';
import { readInfo } from '../../../../upstream/read-info.ts';
import type { CoinsView } from '../../../../views/coins.ts';
import type { IngestRequests } from '../../../route.ts';

/** Names of builder dexes (contract, venue_a markets). */
const DEX = /^[a-z0-9]{1,6}$/;

/**
 * Throws 404 `unknown_dex` for a dex that the venue does not list, and 400 for text that cannot be one. A dex with a
 * listed coin is known already; for any other the list of dexes is read.
 */
export async function checkDex(ingest: IngestRequests, coins: CoinsView, dex: string): Promise<void> {
  const prefix = `${dex}:`;
  for (const coin of coins.venue_a.instruments.keys()) if (coin.startsWith(prefix)) return;
  if (!DEX.test(dex)) throw new ApiError('validation_failed', 'dex: must be 1 to 6 lower-case letters or digits');
  const { native } = await readInfo(ingest, { type: 'perpDexs' });
  const listed = Array.isArray(native) && native.some((entry: { name?: unknown } | null) => entry?.name === dex);
  if (!listed) throw new ApiError('unknown_dex', `no dex ${dex}`);
}
