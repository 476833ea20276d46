import type { UniversalEvent } from '#schemas/topics/derived';
import { compareEvents, type EventSortKey } from '../views/event-index.ts';
import type { EventsView } from '../views/events.ts';
import { ArchivedTotals } from './archived-totals.ts';
import { type EventFilter, eventPredicate } from './event-filter.ts';
import type { Reader } from './query.ts';
import { archivedCondition, readArchivedSortKeys, readEventsAt } from './read-archived-events.ts';
import { formatCursor, readCursor } from './time-cursor.ts';

export interface EventPage {
  readonly events: readonly UniversalEvent[];
  /** Number of events that match the filter, on all pages together. */
  readonly total: number;
  readonly nextCursor: string | null;
}

/** Counts per store: the sandbox has its own. */
const totalsByStore = new WeakMap<Reader, ArchivedTotals>();

/**
 * The events that the view received last are left out of the count of archived rows: the table lags behind the view by
 * about a second, so it may still hold such an event as archived.
 */
const RECENT_EVENTS = 1_000;

/**
 * Lists events after the cursor, sorted by firstSeenAt, then id: those of the view and the archived ones of the table,
 * each once. For an event that the view holds, the view takes precedence over the table. Throws 400 for an invalid
 * cursor. Errors of the store are thrown too, unless no archived event can match: none of them is open, and if the
 * count is 0 the store is not queried for a page.
 */
export async function listEvents(
  view: Pick<EventsView, 'listed' | 'byId' | 'archiveCutoff'>,
  store: Reader,
  filter: EventFilter,
  limit: number,
  cursor: string | null,
): Promise<EventPage> {
  const after = cursor === null ? null : sortKeyOfCursor(cursor);
  // One more than requested shows whether there is a next page.
  const { live, archived } = await readLiveAndArchived(view, store, filter, limit + 1, after);
  const keys = [...live.keys, ...archived.keys].sort(compareEvents);
  const page = keys.slice(0, limit);
  const last = page.at(-1);
  const hasMore = keys.length > limit;
  return {
    events: await loadEvents(store, page, live.keys),
    // If everything is on this page, its length is exact; a cached count may be a minute old.
    total: cursor === null && !hasMore ? page.length : live.total + archived.total,
    nextCursor: hasMore && last ? formatCursor({ at: last.firstSeenAt, id: last.universalId }) : null,
  };
}

/** The first matches after the cursor, and the number of all matches. */
interface Matches<T extends EventSortKey> {
  readonly keys: readonly T[];
  readonly total: number;
}

function readLive(
  { listed }: Pick<EventsView, 'listed'>,
  filter: EventFilter,
  limit: number,
  after: EventSortKey | null,
): Matches<UniversalEvent> {
  const matches = eventPredicate(filter);
  const keys: UniversalEvent[] = [];
  let total = 0;
  for (const chunk of listed)
    for (const event of chunk) {
      if (!matches(event)) continue;
      total += 1;
      if (keys.length < limit && (after === null || compareEvents(event, after) > 0)) keys.push(event);
    }
  return { keys, total };
}

/** Reads both consistently: no event is in both results, and none is missed because it was archived in between. */
async function readLiveAndArchived(
  view: Pick<EventsView, 'listed' | 'byId' | 'archiveCutoff'>,
  store: Reader,
  filter: EventFilter,
  limit: number,
  after: EventSortKey | null,
): Promise<{ readonly live: Matches<UniversalEvent>; readonly archived: Matches<EventSortKey> }> {
  const live = () => readLive(view, filter, limit, after);
  if (filter.status === 'open') return { live: live(), archived: { keys: [], total: 0 } };
  const isInView = (universalId: string) => view.byId.has(universalId);
  const totals = totalsByStore.get(store) ?? new ArchivedTotals(store);
  totalsByStore.set(store, totals);
  for (;;) {
    const { archiveCutoff } = view;
    const condition = archivedCondition(filter, archiveCutoff);
    const total = await totals.get(condition, () => [...view.byId.keys()].slice(-RECENT_EVENTS));
    const keys = total === 0 ? [] : await readArchivedSortKeys(store, condition, limit, after, isInView);
    // The view may change while the store is read. That is rare; the next iteration reads again.
    if (view.archiveCutoff === archiveCutoff && !keys.some(({ universalId }) => isInView(universalId)))
      return { live: live(), archived: { keys, total } };
  }
}

/** Loads the events of a page: those that are not in the view are read from the table. */
async function loadEvents(
  store: Reader,
  page: readonly EventSortKey[],
  live: readonly UniversalEvent[],
): Promise<UniversalEvent[]> {
  const found = new Map(live.map((event) => [event.universalId, event]));
  const archived = page.filter(({ universalId }) => !found.has(universalId));
  for (const event of await readEventsAt(store, archived)) found.set(event.universalId, event);
  return page.flatMap(({ universalId }) => found.get(universalId) ?? []);
}

function sortKeyOfCursor(cursor: string): EventSortKey {
  const { at, id } = readCursor(cursor);
  return { firstSeenAt: at, universalId: id };
}
