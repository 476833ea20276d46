import { ApiError } from '#schemas/errors';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { EventIndex } from '../views/event-index.ts';

/** The event of an id, or the survivor it was merged into. Throws 404 `not_found` for an id that nobody has. */
export function findEvent(index: Pick<EventIndex, 'byId'>, universalId: string): UniversalEvent {
  let event = index.byId.get(universalId);
  // A survivor can be merged again; a ring, which no writer makes, must not hang the server.
  const seen = new Set<string>();
  while (event && event.mergedInto !== null && !seen.has(event.universalId)) {
    seen.add(event.universalId);
    event = index.byId.get(event.mergedInto);
  }
  if (!event || event.mergedInto !== null) throw new ApiError('not_found', `no event ${universalId}`);
  return event;
}
