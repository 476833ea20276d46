/** The venues that there is an adapter for. Adding a venue is adding its folder and a line here. */
import type { VenueAdapter } from './adapter.ts';
import { venueA } from './venue-a/adapter.ts';
import { venueB } from './venue-b/adapter.ts';

export const ADAPTERS: readonly VenueAdapter[] = [venueA, venueB];
