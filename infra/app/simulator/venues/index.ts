import type { Venue } from '#schemas/domain/providers';
import type { SimulatedVenue, VenueContext } from './simulated-venue.ts';
import { createVenueA } from './venue-a/create-venue-a.ts';
import { createVenueB } from './venue-b/create-venue-b.ts';

/** Creates every simulated venue. A new venue needs a folder and a line here. */
export function createSimulatedVenues(context: VenueContext) {
  return {
    venue_a: createVenueA(context),
    venue_b: createVenueB(context),
  } satisfies Record<Venue, SimulatedVenue>;
}
