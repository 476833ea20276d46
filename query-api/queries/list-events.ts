import { ApiError } from '#schemas/errors';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { Views } from '../views/views.ts';

export interface EventFilter {
  readonly underlying?: string | undefined;
  /** Unix ms: only events decided after it. */
  readonly resolutionAfter?: number | undefined;
  readonly minProviders?: number | undefined;
  readonly status?: UniversalEvent['status'] | undefined;
}

export interface EventPage {
  readonly events: readonly UniversalEvent[];
  readonly total: number;
  readonly nextCursor: string | null;
}

/** Events by firstSeenAt, then id; `total` counts all that fit the filter. Throws 400 for a cursor that is none. */
export function listEvents(
  views: Pick<Views, 'events'>,
  filter: EventFilter,
  limit: number,
  cursor: string | null,
): EventPage {
  const fitting = [...views.events.values()]
    .filter((event) => event.mergedInto === null && fits(event, filter))
    .sort(byFirstSeen);
  const from = cursor === null ? 0 : afterCursor(fitting, cursor);
  const events = fitting.slice(from, from + limit);
  const last = events.at(-1);
  const more = from + events.length < fitting.length;
  return { events, total: fitting.length, nextCursor: more && last ? cursorOf(last) : null };
}

function fits(event: UniversalEvent, { underlying, resolutionAfter, minProviders, status }: EventFilter): boolean {
  if (underlying !== undefined && event.underlying?.toLowerCase() !== underlying.toLowerCase()) return false;
  if (resolutionAfter !== undefined && !(event.resolutionTime !== null && event.resolutionTime > resolutionAfter))
    return false;
  if (minProviders !== undefined && new Set(event.links.map((link) => link.provider)).size < minProviders) return false;
  return status === undefined || event.status === status;
}

function byFirstSeen(a: UniversalEvent, b: UniversalEvent): number {
  return a.firstSeenAt - b.firstSeenAt || (a.universalId < b.universalId ? -1 : 1);
}

/** A cursor names the last event of its page, so pages stay right while events are added. */
function cursorOf({ firstSeenAt, universalId }: UniversalEvent): string {
  return Buffer.from(`${firstSeenAt} ${universalId}`).toString('base64url');
}

function afterCursor(events: readonly UniversalEvent[], cursor: string): number {
  const parts = /^(\d+) (evt_\w+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!parts) throw new ApiError('validation_failed', 'cursor: is not a cursor that this service gave');
  const [firstSeenAt, universalId] = [Number(parts[1]), parts[2]!];
  const at = events.findIndex(
    (event) =>
      event.firstSeenAt > firstSeenAt || (event.firstSeenAt === firstSeenAt && event.universalId > universalId),
  );
  return at < 0 ? events.length : at;
}
