import { ApiError } from '#schemas/errors';
import type { UniversalEvent } from '#schemas/topics/derived';
import { compareEvents, type EventIndex, type EventPlace, placeOf } from '../views/event-index.ts';

export interface EventFilter {
  /** Upper and lower case are the same. */
  readonly underlying?: string | undefined;
  /** Unix ms: only events decided after it. */
  readonly resolutionAfter?: number | undefined;
  /** Least number of providers among the links. */
  readonly minProviders: number;
  readonly status?: UniversalEvent['status'] | undefined;
}

export interface EventPage {
  readonly events: readonly UniversalEvent[];
  /** Events that fit the filter, on all pages together. */
  readonly total: number;
  readonly nextCursor: string | null;
}

/** Events by firstSeenAt, then id, from after the cursor on. Throws 400 for a cursor that is none. */
export function listEvents(
  { listed }: Pick<EventIndex, 'listed'>,
  filter: EventFilter,
  limit: number,
  cursor: string | null,
): EventPage {
  const fits = eventTest(filter);
  const after = cursor === null ? null : readCursor(cursor);
  const begin = after ? afterPlace(listed, after) : 0;
  const events: UniversalEvent[] = [];
  let total = 0;
  let more = false;
  for (const [at, event] of listed.entries()) {
    if (!fits(event)) continue;
    total += 1;
    if (at < begin) continue;
    if (events.length < limit) events.push(event);
    else more = true;
  }
  const last = events.at(-1);
  return { events, total, nextCursor: more && last ? formatCursor(last) : null };
}

function eventTest({ underlying, resolutionAfter, minProviders, status }: EventFilter) {
  const asset = underlying?.toLowerCase();
  return (event: UniversalEvent): boolean => {
    if (status !== undefined && event.status !== status) return false;
    if (asset !== undefined && event.underlying?.toLowerCase() !== asset) return false;
    if (resolutionAfter !== undefined && (event.resolutionTime === null || event.resolutionTime <= resolutionAfter))
      return false;
    return minProviders <= 1 || new Set(event.links.map((link) => link.provider)).size >= minProviders;
  };
}

function afterPlace(listed: readonly UniversalEvent[], place: EventPlace): number {
  const at = placeOf(listed, place);
  const found = listed[at];
  return found && compareEvents(found, place) === 0 ? at + 1 : at;
}

/** A cursor names the last event of its page, so that pages stay right while events are added. */
function formatCursor({ firstSeenAt, universalId }: EventPlace): string {
  return Buffer.from(`${firstSeenAt} ${universalId}`).toString('base64url');
}

function readCursor(cursor: string): EventPlace {
  const parts = /^(\d{1,16}) (\S+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!parts) throw new ApiError('validation_failed', 'cursor: is not a cursor that this service gave');
  return { firstSeenAt: Number(parts[1]), universalId: parts[2]! };
}
