import { DELIVERY_RETENTION_MS } from '#schemas/topics/webhooks';
import type { EventsView } from '../views/events.ts';

/**
 * Creation time of the oldest delivery that REST returns, unix ms. It is measured in the pipeline's time, in which
 * deliveries are created, so that it also holds for a recording from years ago. The store deletes rows 30 days after
 * their insertion, so a rebuild may bring back older ones.
 */
export function oldestRetainedAt({ now }: Pick<EventsView, 'now'>): number {
  // Before the first clock record the age of a delivery is unknown.
  return now === null ? 0 : now - DELIVERY_RETENTION_MS;
}
