/** How many accounts have a snapshot within the ten minutes after an hour mark. Pure. */
import { SNAPSHOT_WITHIN_MS } from '#schemas/domain/returns/snapshot-hour';
import type { Limit } from '../../feed/planner.ts';
import { acquisitionWeight } from './acquisitions.ts';
import { METADATA_INTERVAL_MS, METADATA_WEIGHT, OTHER_REQUESTS, SUBSCRIPTION_REQUESTS } from './declaration.ts';

/** Weight of the lists in a window. */
function listingsOf(windowMs: number, hasNode: boolean): number {
  const requests = SUBSCRIPTION_REQUESTS.length + (hasNode ? 0 : OTHER_REQUESTS.length);
  return Math.ceil((windowMs / METADATA_INTERVAL_MS) * requests * METADATA_WEIGHT);
}

/** States if clients read little or as much as they may. */
export const CLIENTS = ['idle', 'busy'] as const;

/**
 * Returns the number of snapshots that fit into a time, ms: in each window as many as may be spent and reserved in it.
 * @param urgent whether they may use what is lent to urgent ones.
 * @param weight the limit of weight, whose reserved part is that of clients.
 * @param dexes names of the builder dexes.
 * @param hasNode whether a self-hosted node serves all but the account mode.
 */
export function snapshotsThatFit(
  { max, windowMs, reserved }: Pick<Limit, 'max' | 'windowMs' | 'reserved'>,
  dexes: readonly string[],
  hasNode: boolean,
  clients: (typeof CLIENTS)[number],
  { ms = SNAPSHOT_WITHIN_MS, urgent = true }: { readonly ms?: number; readonly urgent?: boolean } = {},
): number {
  const { cost = 0, idle = cost, behindMax = max, spare = 0 } = reserved ?? {};
  const lent = cost - (urgent ? (reserved?.urgent?.idle ?? idle) : idle);
  const room = Math.min(max - spare - listingsOf(windowMs, hasNode), behindMax + (clients === 'idle' ? lent : 0));
  const acquisition = acquisitionWeight(dexes, hasNode);
  // The weight of one that has not ended counts as reserved.
  const ofWindow = Math.floor((room - acquisition.reserved) / acquisition.spent) + 1;
  return Math.floor((ofWindow * ms) / windowMs);
}
