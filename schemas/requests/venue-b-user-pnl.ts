/** Reads of the PnL series of venue_b about an account that somebody bound (venue_b page, section 4). */
import { z } from 'zod';
import { SERIES_LIFETIME_MS, WINDOWS } from '../domain/returns/series.ts';
import { defineKind } from './kind.ts';

export const userPnlRead = defineKind({
  name: 'venue_b.user-pnl',
  params: z.object({
    address: z.string().describe('The account, lower case.'),
    window: z.enum(WINDOWS),
  }),
  result: z.object({
    text: z.string().describe('The response as the venue sent it: its numbers have more digits than a float holds.'),
    fetchedAt: z.number().int().describe('When it was received, unix ms.'),
  }),
  limits: { perOrganization: 100, total: 1_000 },
  // The attempts take at most 25 s.
  waitMs: 27_000,
  lifetimeMs: () => SERIES_LIFETIME_MS,
});
export type UserPnlRequest = ReturnType<typeof userPnlRead.params.parse>;
export type UserPnlResult = ReturnType<typeof userPnlRead.result.parse>;
