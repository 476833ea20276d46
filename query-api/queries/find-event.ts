import { ApiError } from '#schemas/errors';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { Views } from '../views/views.ts';

/** The event of an id, or the survivor it was merged into. Throws 404 `not_found` for an id that nobody has. */
export function findEvent(views: Pick<Views, 'events'>, universalId: string): UniversalEvent {
  let event = views.events.get(universalId);
  const seen = new Set<string>();
  while (event?.mergedInto && !seen.has(event.universalId)) {
    seen.add(event.universalId);
    event = views.events.get(event.mergedInto);
  }
  if (!event) throw new ApiError('not_found', `no event ${universalId}`);
  return event;
}
