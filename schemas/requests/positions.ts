/** Reads of the open positions of any account. Their responses are stored in the outcome alone. */
import { z } from 'zod';
import { defineKind } from './kind.ts';

/** The positions of an account are requested at most once in this time (specification, Limits). */
const LIFETIME_MS = 5_000;

const common = {
  params: z.object({ address: z.string().describe('The account, lower case.') }),
  limits: { perOrganization: 100, total: 1_000 },
  // The attempts take at most 25 s.
  waitMs: 27_000,
  lifetimeMs: () => LIFETIME_MS,
} as const;

export const venueAPositions = defineKind({
  ...common,
  name: 'venue_a.positions',
  result: z.object({
    states: z
      .array(
        z.object({
          dex: z.string().describe('Empty for the main dex.'),
          native: z.unknown().describe('The response as the venue sent it; null if there is none.'),
          fetchedAt: z.number().int().nullable().describe('When it was received, unix ms.'),
          failure: z.enum(['rate_limited', 'upstream_failed']).nullable().describe('Why there is none.'),
        }),
      )
      .describe('`clearinghouseState` of every dex.'),
  }),
});
export type VenueAPositions = ReturnType<typeof venueAPositions.result.parse>;

export const venueBPositions = defineKind({
  ...common,
  name: 'venue_b.positions',
  result: z.object({
    pages: z.array(z.string()).describe('All pages of `/positions` as the venue sent them.'),
    fetchedAt: z.number().int().describe('When the first page was received, unix ms.'),
  }),
});
