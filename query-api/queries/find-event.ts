import { ApiError } from '#schemas/errors';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { EventIndex } from '../views/event-index.ts';
import type { Reader } from './query.ts';
import { readEvent } from './read-archived-events.ts';

/**
 * Finds the event of an id, or the event that it was merged into: in the view, or in the table if it is archived.
 * Throws 404 `not_found` for an unknown id.
 */
export async function findEvent(
  index: Pick<EventIndex, 'byId'>,
  store: Reader,
  universalId: string,
): Promise<UniversalEvent> {
  let id = universalId;
  // An event can be merged repeatedly. A cycle should not exist, but must not hang the server.
  for (const seen = new Set<string>(); !seen.has(id); ) {
    seen.add(id);
    const event = index.byId.get(id) ?? (await readEvent(store, id));
    if (!event) break;
    if (event.mergedInto === null) return event;
    id = event.mergedInto;
  }
  throw new ApiError('not_found', `no event ${universalId}`);
}

/** The event of an id, or the event that it was merged into; undefined if the view does not hold it. */
export function survivorOf({ byId }: Pick<EventIndex, 'byId'>, universalId: string): UniversalEvent | undefined {
  let event = byId.get(universalId);
  const seen = new Set<string>();
  while (event && event.mergedInto !== null && !seen.has(event.universalId)) {
    seen.add(event.universalId);
    event = byId.get(event.mergedInto);
  }
  return event?.mergedInto === null ? event : undefined;
}
