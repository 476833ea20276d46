import type { Owner } from '#schemas/domain/control/owner';
import { ownerName } from '#schemas/domain/control/owner';
import type { ControlState } from '#schemas/domain/control/state';
import { marketKey, PRICE_PROVIDERS } from '#schemas/domain/providers';
import type { EventIndex } from '../views/event-index.ts';
import type { LinkedMarket } from './linked-markets.ts';
import type { Reader } from './query.ts';
import { readFilledMarkets } from './read-filled-markets.ts';

const INTEREST_MS = 30 * 86_400_000;

/**
 * Returns the markets of the caller's events of interest: events in whose markets one of its wallets has a fill in the
 * 30 days before `now`. Null, which means all markets, if there are none (contract, Markets, Anomaly detectors).
 */
export async function marketsOfInterest(
  store: Reader,
  index: Pick<EventIndex, 'byMarket' | 'byId'>,
  control: Pick<ControlState, 'walletsByOwner'>,
  caller: Owner,
  now: number,
): Promise<LinkedMarket[] | null> {
  const wallets = [...(control.walletsByOwner.get(ownerName(caller))?.values() ?? [])];
  const filled = await readFilledMarkets(store, wallets, now - INTEREST_MS);
  const events = new Set<string>();
  const markets: LinkedMarket[] = [];
  for (const market of filled) {
    const universalId = index.byMarket.get(marketKey(market.provider, market.providerMarketId));
    if (universalId !== undefined) events.add(universalId);
    // The index does not hold archived events: of those only the market itself is returned.
    else if (!PRICE_PROVIDERS.has(market.provider)) markets.push(market);
  }
  for (const universalId of events) markets.push(...index.byId.get(universalId)!.links);
  return markets.length === 0 ? null : markets;
}
