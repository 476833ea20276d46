/** Events under their ids, in the order in which they are listed, by their markets, and by what they were merged into. */
import { marketKey } from '#schemas/domain/providers';
import type { UniversalEvent } from '#schemas/topics/derived';
import { putSorted, removeSorted, type SortedChunks, takeSorted } from './sorted-chunks.ts';

export interface EventIndex {
  /** Every id that was told and is not past, merged ones too. */
  readonly byId: Map<string, UniversalEvent>;
  /** Those that are listed, by `compareEvents`: all but the merged ones. */
  readonly listed: SortedChunks<UniversalEvent>;
  /** Event of each linked market, by `marketKey`. */
  readonly byMarket: Map<string, string>;
  /** Events that name an event as the one they were merged into. */
  readonly absorbed: Map<string, Set<string>>;
}

/** The place of an event in the list: what it is sorted by. */
export type EventPlace = Pick<UniversalEvent, 'firstSeenAt' | 'universalId'>;

export function createEventIndex(): EventIndex {
  return { byId: new Map(), listed: [], byMarket: new Map(), absorbed: new Map() };
}

/** By firstSeenAt, then id (the contract, Markets, matching, arbitrage). */
export function compareEvents(a: EventPlace, b: EventPlace): number {
  if (a.firstSeenAt !== b.firstSeenAt) return a.firstSeenAt - b.firstSeenAt;
  if (a.universalId === b.universalId) return 0;
  return a.universalId < b.universalId ? -1 : 1;
}

/** Takes the newest state of an event. */
export function putEvent(index: EventIndex, event: UniversalEvent): void {
  const before = index.byId.get(event.universalId);
  index.byId.set(event.universalId, event);
  if (before) unlink(index, before);
  link(index, event);
  const isListed = event.mergedInto === null;
  if (before?.mergedInto === null && !(isListed && compareEvents(before, event) === 0))
    removeSorted(index.listed, before, compareEvents);
  if (isListed) putSorted(index.listed, event, compareEvents);
}

/** Forgets an event; one that is not there stays not there. */
export function removeEvent(index: EventIndex, universalId: string): void {
  const before = index.byId.get(universalId);
  if (!before) return;
  index.byId.delete(universalId);
  unlink(index, before);
  if (before.mergedInto === null) removeSorted(index.listed, before, compareEvents);
}

/** Forgets the listed events that a test tells, thousands as fast as one. */
export function removeListed(index: EventIndex, isGone: (event: UniversalEvent) => boolean): void {
  for (const event of takeSorted(index.listed, isGone)) {
    index.byId.delete(event.universalId);
    unlink(index, event);
  }
}

/** An event's id and those of all that were merged into it, over several mergers. */
export function idsOf({ absorbed }: Pick<EventIndex, 'absorbed'>, universalId: string): string[] {
  // A set goes on to what is added while it is walked, and takes nothing twice.
  const ids = new Set([universalId]);
  for (const id of ids) for (const other of absorbed.get(id) ?? []) ids.add(other);
  return [...ids];
}

function link({ byMarket, absorbed }: EventIndex, { universalId, links, mergedInto }: UniversalEvent): void {
  for (const { provider, providerMarketId } of links) byMarket.set(marketKey(provider, providerMarketId), universalId);
  if (mergedInto === null) return;
  const others = absorbed.get(mergedInto);
  if (others) others.add(universalId);
  else absorbed.set(mergedInto, new Set([universalId]));
}

function unlink({ byMarket, absorbed }: EventIndex, { universalId, links, mergedInto }: UniversalEvent): void {
  for (const { provider, providerMarketId } of links) {
    const key = marketKey(provider, providerMarketId);
    // A market that moved may have been told by its new event already.
    if (byMarket.get(key) === universalId) byMarket.delete(key);
  }
  if (mergedInto === null) return;
  const others = absorbed.get(mergedInto);
  if (others?.delete(universalId) && others.size === 0) absorbed.delete(mergedInto);
}
