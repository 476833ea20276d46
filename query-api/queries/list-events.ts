import type { Store } from '#infra/store/store';
import type { UniversalEvent } from '#schemas/topics/derived';
import { compareEvents, type EventPlace } from '../views/event-index.ts';
import type { EventsView } from '../views/events.ts';
import { type EventFilter, eventTest } from './event-filter.ts';
import { PastTotals } from './past-totals.ts';
import { pastCondition, readEventsAt, readPastPlaces } from './read-past-events.ts';
import { formatCursor, readCursor } from './time-cursor.ts';

export interface EventPage {
  readonly events: readonly UniversalEvent[];
  /** Events that fit the filter, on all pages together. */
  readonly total: number;
  readonly nextCursor: string | null;
}

/** The sandbox has a store of its own. */
const totalsOf = new WeakMap<Pick<Store, 'query'>, PastTotals>();

/** The table follows the view within about a second: of what came before these it knows. */
const NEWCOMERS = 1_000;

/**
 * Events by firstSeenAt, then id, from after the cursor on: those of the view, and the past ones of the table, each once.
 * What the view holds is as the view has it, whatever the table says of it still. Throws 400 for a cursor that is none,
 * and what the store throws, unless nothing past can fit the filter: no past event is open, and where none was counted
 * the store is asked for no page.
 */
export async function listEvents(
  view: Pick<EventsView, 'listed' | 'byId' | 'pastBefore'>,
  store: Pick<Store, 'query'>,
  filter: EventFilter,
  limit: number,
  cursor: string | null,
): Promise<EventPage> {
  const after = cursor === null ? null : placeOfCursor(cursor);
  // One more than asked for tells whether there are more.
  const { live, past } = await readBoth(view, store, filter, limit + 1, after);
  const places = [...live.places, ...past.places].sort(compareEvents);
  const page = places.slice(0, limit);
  const last = page.at(-1);
  const hasMore = places.length > limit;
  return {
    events: await wholeEvents(store, page, live.places),
    // A page that is all there is needs no count, which may be of a minute ago.
    total: cursor === null && !hasMore ? page.length : live.total + past.total,
    nextCursor: hasMore && last ? formatCursor({ at: last.firstSeenAt, id: last.universalId }) : null,
  };
}

/** The first that fit the filter after the cursor, and how many fit it wherever they stand. */
interface Found<T extends EventPlace> {
  readonly places: readonly T[];
  readonly total: number;
}

function readLive(
  { listed }: Pick<EventsView, 'listed'>,
  filter: EventFilter,
  limit: number,
  after: EventPlace | null,
): Found<UniversalEvent> {
  const fits = eventTest(filter);
  const places: UniversalEvent[] = [];
  let total = 0;
  for (const chunk of listed)
    for (const event of chunk) {
      if (!fits(event)) continue;
      total += 1;
      if (places.length < limit && (after === null || compareEvents(event, after) > 0)) places.push(event);
    }
  return { places, total };
}

/** Both of one moment: when they are given, no event is in both, and none went from the view to the past unseen. */
async function readBoth(
  view: Pick<EventsView, 'listed' | 'byId' | 'pastBefore'>,
  store: Pick<Store, 'query'>,
  filter: EventFilter,
  limit: number,
  after: EventPlace | null,
): Promise<{ readonly live: Found<UniversalEvent>; readonly past: Found<EventPlace> }> {
  const live = () => readLive(view, filter, limit, after);
  if (filter.status === 'open') return { live: live(), past: { places: [], total: 0 } };
  const isElsewhere = (universalId: string) => view.byId.has(universalId);
  const totals = totalsOf.get(store) ?? new PastTotals(store);
  totalsOf.set(store, totals);
  for (;;) {
    const { pastBefore } = view;
    const condition = pastCondition(filter, pastBefore);
    const total = await totals.of(condition, () => [...view.byId.keys()].slice(-NEWCOMERS));
    const places = total === 0 ? [] : await readPastPlaces(store, condition, limit, after, isElsewhere);
    // The view goes on while the store is read. What changed in it is rare, and found at the next reading.
    if (view.pastBefore === pastBefore && !places.some(({ universalId }) => isElsewhere(universalId)))
      return { live: live(), past: { places, total } };
  }
}

/** The events of a page: those that are not among the live ones are read whole. */
async function wholeEvents(
  store: Pick<Store, 'query'>,
  page: readonly EventPlace[],
  live: readonly UniversalEvent[],
): Promise<UniversalEvent[]> {
  const found = new Map(live.map((event) => [event.universalId, event]));
  const past = page.filter(({ universalId }) => !found.has(universalId));
  for (const event of await readEventsAt(store, past)) found.set(event.universalId, event);
  return page.flatMap(({ universalId }) => found.get(universalId) ?? []);
}

function placeOfCursor(cursor: string): EventPlace {
  const { at, id } = readCursor(cursor);
  return { firstSeenAt: at, universalId: id };
}
