import { DAY_MS, firstBuilderDay } from '#schemas/venues/venue-a/builder-export';
import type { ArrivedDay } from '../queries/read-platform-volume.ts';

/** A builder of venue_a, and when the organization registered it, unix ms. */
export interface RegisteredAt {
  readonly builder: string;
  readonly registeredAt: number;
}

/**
 * End of the last day up to which the file of every builder has arrived, unix ms: each from its first day that was
 * requested on. Null while one of the first files is missing, and without builders.
 */
export function arrivedUntil(builders: readonly RegisteredAt[], days: readonly ArrivedDay[]): number | null {
  const arrived = new Set(days.map(({ builder, day }) => `${builder} ${day}`));
  let until: number | null = null;
  for (const { builder, registeredAt } of builders) {
    const first = firstBuilderDay(registeredAt);
    let end = first;
    while (arrived.has(`${builder} ${end}`)) end += DAY_MS;
    if (end === first) return null;
    until = Math.min(until ?? end, end);
  }
  return until;
}
