/** Which universal events are past: processors and views forget these, and the `events` table answers for them. */
import type { UniversalEvent } from '../topics/derived.ts';

/** An event is past this long after the last of its markets was over. */
export const PAST_AFTER_MS = 90 * 86_400_000;

/** Unix ms: what was over before is past. It moves once a UTC day, so that views and tables are asked for the same. */
export function pastBefore(now: number): number {
  return Math.floor(now / 86_400_000) * 86_400_000 - PAST_AFTER_MS;
}

/** Whether nothing is expected of an event any more. One that was merged is gone as long as its survivor. */
export function isPast({ mergedInto, overAt }: Pick<UniversalEvent, 'mergedInto' | 'overAt'>, before: number): boolean {
  return mergedInto === null && overAt !== null && overAt < before;
}
