/** Maps markets to events, and merged events to their survivors, from the records of the event topic. */
import { marketKey } from '#schemas/domain/providers';
import type { UniversalEvent } from '#schemas/topics/derived';
import { createMergedEvents, type MergedEvents, setSurvivor } from './merged-events.ts';

/** Part of a stage's state; bounded by the events that are not archived and their markets. */
export interface EventMarkets extends MergedEvents {
  /** Event of each linked market, by `provider|marketId`. */
  readonly eventOf: Map<string, string>;
  /** Markets of each event, from which a market that left is detected. */
  readonly marketsOf: Map<string, readonly string[]>;
  /** Linked markets whose YES is their event's NO. */
  readonly inverse: Set<string>;
  /** Linked markets whose question differs from their event's, for example in the minute. */
  readonly unused: Set<string>;
}

export function createEventMarkets(): EventMarkets {
  return {
    ...createMergedEvents(),
    eventOf: new Map(),
    marketsOf: new Map(),
    inverse: new Set(),
    unused: new Set(),
  };
}

/** Applies the links of a new or changed event; null removes an archived one. Returns its markets. */
export function relinkEvent(state: EventMarkets, universalId: string, event: UniversalEvent | null): readonly string[] {
  setSurvivor(state, universalId, event?.mergedInto ?? null);
  const links = event?.links ?? [];
  const markets = links.map((link) => marketKey(link.provider, link.providerMarketId));
  for (const market of state.marketsOf.get(universalId) ?? []) {
    // The new event of a market that moved may have been processed already.
    if (markets.includes(market) || state.eventOf.get(market) !== universalId) continue;
    state.eventOf.delete(market);
    state.inverse.delete(market);
    state.unused.delete(market);
  }
  for (const [at, market] of markets.entries()) {
    state.eventOf.set(market, universalId);
    setMember(state.inverse, market, links[at]!.polarity === 'inverse');
    setMember(state.unused, market, !links[at]!.used);
  }
  if (markets.length > 0) state.marketsOf.set(universalId, markets);
  else state.marketsOf.delete(universalId);
  return markets;
}

function setMember(set: Set<string>, market: string, isIn: boolean): void {
  if (isIn) set.add(market);
  else set.delete(market);
}
