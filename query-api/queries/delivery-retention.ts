import { DELIVERIES_KEPT_MS } from '#schemas/topics/webhooks';
import type { EventsView } from '../views/events.ts';

/**
 * Since when deliveries are told, unix ms, by the pipeline's time, in which they are created: those of a recording of
 * years ago are as new as its clock says. The store keeps them 30 days from when it took them, and a rebuild may bring
 * older ones back.
 */
export function deliveriesKeptSince({ now }: Pick<EventsView, 'now'>): number {
  // Before the first mark of the clock nothing has an age.
  return now === null ? 0 : now - DELIVERIES_KEPT_MS;
}
