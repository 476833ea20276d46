/** Which event a market belongs to, and which events are one, as the event topic tells it. */
import type { UniversalEvent } from '#schemas/topics/derived';
import { setSurvivor } from '../shared/merged-events.ts';
import { type ChannelsState, marketKey } from './state.ts';

/** Takes a new or changed event; null removes it. */
export function takeEvent(state: ChannelsState, universalId: string, event: UniversalEvent | null): void {
  setSurvivor(state, universalId, event?.mergedInto ?? null);
  const markets = (event?.links ?? []).map((link) => marketKey(link.provider, link.providerMarketId));
  for (const market of state.marketsOf.get(universalId) ?? []) {
    // A market that moved may have been told by its new event already.
    if (!markets.includes(market) && state.eventOf.get(market) === universalId) state.eventOf.delete(market);
  }
  for (const market of markets) state.eventOf.set(market, universalId);
  if (markets.length > 0) state.marketsOf.set(universalId, markets);
  else state.marketsOf.delete(universalId);
}
