/** Every venue, planned ones included. A new venue needs its declaration and a line here. */
import type { VenueDeclaration } from './venue.ts';
import { venueA } from './venue-a.ts';
import { venueB } from './venue-b.ts';
import { venueC } from './venue-c.ts';

const declarations = [venueA, venueB, venueC] as const;

/** The type of a declaration, with its names as literals. */
export type Declaration = (typeof declarations)[number];

export const DECLARATIONS: readonly VenueDeclaration[] = declarations;
