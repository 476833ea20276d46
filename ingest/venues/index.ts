/** The adapters of all venues. A new venue needs a folder and a line here. */
import type { VenueAdapter } from './adapter.ts';
import { venueA } from './venue-a/adapter.ts';
import { venueB } from './venue-b/adapter.ts';

export const ADAPTERS: readonly VenueAdapter[] = [venueA, venueB];
