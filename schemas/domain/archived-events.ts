/** Decides which universal events are archived: processors and views drop them, and only the `events` table has them. */
import type { UniversalEvent } from '../topics/derived.ts';

/** An event is archived this long after its last market was closed or resolved. */
const ARCHIVE_AFTER_MS = 90 * 86_400_000;

/** Unix ms: events that ended before it are archived. It moves once a UTC day, so that views and tables agree. */
export function archiveCutoff(now: number): number {
  return Math.floor(now / 86_400_000) * 86_400_000 - ARCHIVE_AFTER_MS;
}

/** True if an event is archived. A merged event never is: it redirects for as long as its survivor exists. */
export function isArchived(
  { mergedInto, overAt }: Pick<UniversalEvent, 'mergedInto' | 'overAt'>,
  before: number,
): boolean {
  return mergedInto === null && overAt !== null && overAt < before;
}
