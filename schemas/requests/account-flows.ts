/** Reads of the ledger updates of a followed account of venue_a, up to now (contract, Money: NAV, curves, returns). */
import { z } from 'zod';
import { defineKind } from './kind.ts';

export const accountFlowsRead = defineKind({
  name: 'venue_a.account_flows',
  params: z.object({
    address: z.string().describe('The account, lower case.'),
    through: z
      .number()
      .int()
      .describe('Unix ms: up to when flows are needed. It makes reads differ, and is in the past.'),
  }),
  result: z.object({ publishedAt: z.number().int().describe('When the response was published, unix ms.') }),
  limits: { perOrganization: 100, total: 1_000 },
  // The attempts take at most 25 s.
  waitMs: 27_000,
  lifetimeMs: () => 15_000,
});
