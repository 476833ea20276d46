/** Acquisitions: all responses about one account that its value needs, requested together (contract, Money: accounts). */
import { z } from 'zod';
import { defineKind } from './kind.ts';

/** A request within this time of the end of an acquisition gets its result. */
const LIFETIME_MS = 15_000;

const acquisitionOf = (name: string) =>
  defineKind({
    name,
    params: z.object({ address: z.string().describe('The account, lower case.') }),
    result: z.object({
      publishedAt: z
        .number()
        .int()
        .nullable()
        .describe(
          'Unix ms. The value of this acquisition is the first one that was received then or later. Null during playback: the newest value, whatever its age.',
        ),
    }),
    limits: { perOrganization: 100, total: 1_000 },
    // The attempts take at most 25 s.
    waitMs: 27_000,
    lifetimeMs: () => LIFETIME_MS,
  });

export const venueAAcquisition = acquisitionOf('venue_a.acquisition');
export const venueBAcquisition = acquisitionOf('venue_b.acquisition');

/** The kind of each venue. */
export const ACQUISITIONS = { venue_a: venueAAcquisition, venue_b: venueBAcquisition } as const;
export type AcquisitionResult = ReturnType<typeof venueAAcquisition.result.parse>;
