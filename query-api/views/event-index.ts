/** Index of events by id, in list order, by market, and by the event that they were merged into. */
import { marketKey } from '#schemas/domain/providers';
import type { UniversalEvent } from '#schemas/topics/derived';
import { extractSorted, putSorted, removeSorted, type SortedChunks } from './sorted-chunks.ts';

export interface EventIndex {
  /** All events that are not archived, merged ones included. */
  readonly byId: Map<string, UniversalEvent>;
  /** All events except the merged ones, sorted by `compareEvents`. */
  readonly listed: SortedChunks<UniversalEvent>;
  /** Event id of each linked market, by `marketKey`. */
  readonly byMarket: Map<string, string>;
  /** Ids of the events that were merged into an event, by the id of the latter. */
  readonly mergedFrom: Map<string, Set<string>>;
}

/** The sort key of an event in the list. */
export type EventSortKey = Pick<UniversalEvent, 'firstSeenAt' | 'universalId'>;

export function createEventIndex(): EventIndex {
  return { byId: new Map(), listed: [], byMarket: new Map(), mergedFrom: new Map() };
}

/** Compares by firstSeenAt, then id (contract, Markets, matching, arbitrage). */
export function compareEvents(a: EventSortKey, b: EventSortKey): number {
  if (a.firstSeenAt !== b.firstSeenAt) return a.firstSeenAt - b.firstSeenAt;
  if (a.universalId === b.universalId) return 0;
  return a.universalId < b.universalId ? -1 : 1;
}

/** Adds an event, or replaces its previous version. */
export function putEvent(index: EventIndex, event: UniversalEvent): void {
  const previous = index.byId.get(event.universalId);
  index.byId.set(event.universalId, event);
  if (previous) unlink(index, previous);
  link(index, event);
  const isListed = event.mergedInto === null;
  if (previous?.mergedInto === null && !(isListed && compareEvents(previous, event) === 0))
    removeSorted(index.listed, previous, compareEvents);
  if (isListed) putSorted(index.listed, event, compareEvents);
}

/** Removes an event, if it is in the index. */
export function removeEvent(index: EventIndex, universalId: string): void {
  const previous = index.byId.get(universalId);
  if (!previous) return;
  index.byId.delete(universalId);
  unlink(index, previous);
  if (previous.mergedInto === null) removeSorted(index.listed, previous, compareEvents);
}

/** Removes all listed events that match a predicate, in one pass. */
export function removeListedWhere(index: EventIndex, predicate: (event: UniversalEvent) => boolean): void {
  for (const event of extractSorted(index.listed, predicate)) {
    index.byId.delete(event.universalId);
    unlink(index, event);
  }
}

/** The id of an event and the ids of all events that were merged into it, directly or indirectly. */
export function idsWithMerged({ mergedFrom }: Pick<EventIndex, 'mergedFrom'>, universalId: string): string[] {
  // Iterating a set also visits elements that are added meanwhile, each once.
  const ids = new Set([universalId]);
  for (const id of ids) for (const other of mergedFrom.get(id) ?? []) ids.add(other);
  return [...ids];
}

function link({ byMarket, mergedFrom }: EventIndex, { universalId, links, mergedInto }: UniversalEvent): void {
  for (const { provider, providerMarketId } of links) byMarket.set(marketKey(provider, providerMarketId), universalId);
  if (mergedInto === null) return;
  const others = mergedFrom.get(mergedInto);
  if (others) others.add(universalId);
  else mergedFrom.set(mergedInto, new Set([universalId]));
}

function unlink({ byMarket, mergedFrom }: EventIndex, { universalId, links, mergedInto }: UniversalEvent): void {
  for (const { provider, providerMarketId } of links) {
    const key = marketKey(provider, providerMarketId);
    // A market that moved may already be linked to its new event.
    if (byMarket.get(key) === universalId) byMarket.delete(key);
  }
  if (mergedInto === null) return;
  const others = mergedFrom.get(mergedInto);
  if (others?.delete(universalId) && others.size === 0) mergedFrom.delete(mergedInto);
}
