/** What processors do differently for each venue. A new venue needs a folder and a line in `VENUE_BEHAVIOURS`. */
import type { Venue } from '#schemas/domain/providers';
import type { QuestionConventions } from '../events/recognise/question.ts';
import { venueA } from './venue-a/behaviour.ts';
import { venueB } from './venue-b/behaviour.ts';
import type { VenueBehaviour } from './venue-behaviour.ts';
import { venueCConventions } from './venue-c/conventions.ts';

/** In the order in which the normalisers run. */
export const VENUE_BEHAVIOURS: Readonly<Record<Venue, VenueBehaviour>> = {
  venue_a: venueA,
  venue_b: venueB,
};

const CONVENTIONS = new Map<string, QuestionConventions>([
  ...Object.entries(VENUE_BEHAVIOURS).map(([venue, { conventions }]) => [venue, conventions] as const),
  // It has no adapter, but its titles can be matched.
  ['venue_c', venueCConventions],
]);

/** Returns how a venue writes its questions; for an unknown one, nothing but what all venues have in common. */
export function conventionsOf(venue: string): QuestionConventions {
  return CONVENTIONS.get(venue) ?? {};
}
