import type { Venue } from '#schemas/domain/providers';
import type { VenueAdapter } from './adapter.ts';
import { venueA } from './venue-a/adapter.ts';
import { venueB } from './venue-b/adapter.ts';

/** The adapter of each venue. A new venue needs a folder and a line here. */
export const ADAPTERS: Readonly<Record<Venue, VenueAdapter>> = { venue_a: venueA, venue_b: venueB };
