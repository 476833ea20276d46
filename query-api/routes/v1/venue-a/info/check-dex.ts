import { CONTRACTS, DEX } from '../../../../markets/contracts.ts';
import { checkWithin } from '../../../../markets/family.ts';
import { readInfo } from '../../../../upstream/read-info.ts';
import type { CoinsView } from '../../../../views/coins.ts';
import type { IngestRequests } from '../../../route.ts';

/**
 * Throws 404 `unknown_dex` for a dex that the venue does not list, and 400 for text that cannot be one. The list of dexes
 * is read only for a name that the view does not know: it may be that of a new dex.
 */
export async function checkDex(ingest: IngestRequests, { venue_a: coins }: CoinsView, dex: string): Promise<void> {
  if (DEX.pattern.test(dex) && !coins.perpDexes.has(dex)) {
    const { native } = await readInfo(ingest, { type: 'perpDexs' });
    if (Array.isArray(native) && native.some((entry: { name?: unknown } | null) => entry?.name === dex)) return;
  }
  checkWithin(CONTRACTS, coins, { dex });
}
