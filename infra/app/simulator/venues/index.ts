import type { Venue } from '#schemas/domain/providers';
import type { RecorderContext, VenueRecorder } from '../recording/venue-recorder.ts';
import type { SimulatedVenue, VenueContext } from './simulated-venue.ts';
import { createVenueA } from './venue-a/create-venue-a.ts';
import { recordVenueA } from './venue-a/record-venue-a.ts';
import { createVenueB } from './venue-b/create-venue-b.ts';
import { recordVenueB } from './venue-b/record-venue-b.ts';

/** How each venue is simulated. A new venue needs a folder and a line here. */
const VENUES = {
  venue_a: { serve: createVenueA, record: recordVenueA },
  venue_b: { serve: createVenueB, record: recordVenueB },
} satisfies Record<
  Venue,
  {
    readonly serve: (context: VenueContext) => SimulatedVenue;
    readonly record: (context: RecorderContext) => VenueRecorder;
  }
>;

type SimulatedVenues = { readonly [V in Venue]: ReturnType<(typeof VENUES)[V]['serve']> };

/** Creates every simulated venue. */
export function createSimulatedVenues(context: VenueContext): SimulatedVenues {
  const venues = Object.entries(VENUES).map(([venue, { serve }]) => [venue, serve(context)] as const);
  return Object.fromEntries(venues) as unknown as SimulatedVenues;
}

/** Creates the recorder of every simulated venue. */
export function createVenueRecorders(context: RecorderContext): VenueRecorder[] {
  return Object.values(VENUES).map(({ record }) => record(context));
}
