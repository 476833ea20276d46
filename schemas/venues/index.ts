/** Every venue, planned ones included. A new venue needs its declaration and a line here. */
import { venueA } from './venue-a.ts';
import { venueB } from './venue-b.ts';
import { venueC } from './venue-c.ts';

export const DECLARATIONS = [venueA, venueB, venueC] as const;
