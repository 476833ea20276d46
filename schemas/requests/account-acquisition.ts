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

const stateOf = (name: string) =>
  defineKind({
    name,
    params: z.object({
      address: z.string().describe('The account, lower case.'),
      fresh: z.boolean().describe('True to join no acquisition that has ended.'),
    }),
    result: z.object({
      publishedAt: z.number().int().nullable().describe('As that of the acquisition.'),
      native: z
        .array(z.string())
        .describe(
          'Responses as the venue sent them: venue_a the state of the main dex, venue_b all pages of positions.',
        ),
    }),
    limits: { perOrganization: 100, total: 1_000 },
    waitMs: 27_000,
    lifetimeMs: ({ fresh }) => (fresh ? 0 : LIFETIME_MS),
  });

/** The same acquisitions, with what the venue sent. */
export const ACCOUNT_STATES = {
  venue_a: stateOf('venue_a.account_state'),
  venue_b: stateOf('venue_b.account_state'),
} as const;

/** The kind of each venue. */
export const ACQUISITIONS = { venue_a: venueAAcquisition, venue_b: venueBAcquisition } as const;
/** What an acquisition results in; each kind returns its part of it. */
export type AcquisitionResult = ReturnType<(typeof ACCOUNT_STATES)['venue_a']['result']['parse']>;
