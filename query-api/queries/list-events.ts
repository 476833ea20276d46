import type { Store } from '#infra/store/store';
import type { UniversalEvent } from '#schemas/topics/derived';
import { compareEvents, type EventPlace, placeOf } from '../views/event-index.ts';
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

/**
 * Events by firstSeenAt, then id, from after the cursor on: those of the view, and the past ones of the table, of which
 * the view holds none. Throws 400 for a cursor that is none, and what the store throws, unless nothing past can fit the
 * filter: no past event is open, and where none was counted the store is asked for no page.
 */
export async function listEvents(
  { listed, pastBefore }: Pick<EventsView, 'listed' | 'pastBefore'>,
  store: Pick<Store, 'query'>,
  filter: EventFilter,
  limit: number,
  cursor: string | null,
): Promise<EventPage> {
  const fits = eventTest(filter);
  const after = cursor === null ? null : placeOfCursor(cursor);
  const begin = after ? afterPlace(listed, after) : 0;
  const live: UniversalEvent[] = [];
  let total = 0;
  // One more than asked for tells whether there are more.
  for (const [at, event] of listed.entries()) {
    if (!fits(event)) continue;
    total += 1;
    if (at >= begin && live.length <= limit) live.push(event);
  }
  const past = await readPast(store, filter, pastBefore, limit + 1, after);
  const places = [...live, ...past.places].sort(compareEvents);
  const page = places.slice(0, limit);
  const last = page.at(-1);
  return {
    events: await wholeEvents(store, page, live),
    total: total + past.total,
    nextCursor: places.length > limit && last ? formatCursor({ at: last.firstSeenAt, id: last.universalId }) : null,
  };
}

interface Past {
  readonly places: readonly EventPlace[];
  /** That fit the filter, wherever they stand. */
  readonly total: number;
}

async function readPast(
  store: Pick<Store, 'query'>,
  filter: EventFilter,
  before: number,
  limit: number,
  after: EventPlace | null,
): Promise<Past> {
  if (filter.status === 'open') return { places: [], total: 0 };
  const condition = pastCondition(filter, before);
  const totals = totalsOf.get(store) ?? new PastTotals(store);
  totalsOf.set(store, totals);
  const total = await totals.of(condition);
  return { places: total === 0 ? [] : await readPastPlaces(store, condition, limit, after), total };
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

function afterPlace(listed: readonly UniversalEvent[], place: EventPlace): number {
  const at = placeOf(listed, place);
  const found = listed[at];
  return found && compareEvents(found, place) === 0 ? at + 1 : at;
}

function placeOfCursor(cursor: string): EventPlace {
  const { at, id } = readCursor(cursor);
  return { firstSeenAt: at, universalId: id };
}
