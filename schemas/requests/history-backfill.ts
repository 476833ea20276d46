import { z } from 'zod';
import { defineKind } from './kind.ts';

/** Reason of a backfill that ended because no live binding names its account any more. */
export const WALLET_NOT_BOUND = 'wallet_not_bound';

const backfillStateSchema = z.object({
  id: z.string().describe('Id of the backfill.'),
  walletId: z.string().describe('The wallet.'),
  status: z.enum(['queued', 'running', 'done', 'failed']).describe('What it is doing.'),
  reason: z.string().nullable().describe('Why it failed; null otherwise.'),
  fromBlock: z.number().int().nullable().describe('First scanned block; null before there is one.'),
  toBlock: z.number().int().nullable().describe('Last scanned block; null before there is one.'),
  fills: z.number().int().describe('Fills of the wallet in the scanned blocks, published before or not.'),
  startedAt: z.number().int().describe('When it was requested, unix ms.'),
  endedAt: z.number().int().nullable().describe('When it ended, unix ms; null before.'),
});
export type BackfillState = z.infer<typeof backfillStateSchema>;

/** How long ingest waits for the end of a backfill; the answer takes part of the rest of the time of a caller. */
export const BACKFILL_ANSWER_MS = 24_000;

/**
 * Looks up the past events of a venue_b wallet on the chain, and publishes them. The result is the state at the end, or after
 * `BACKFILL_ANSWER_MS`; null if too many backfills are waiting.
 */
export const historyBackfill = defineKind({
  name: 'venue_b.history-backfill',
  params: z.object({
    id: z.string().describe('Id of the backfill, new for each.'),
    orgId: z.string().describe('The organization that requests it.'),
    walletId: z.string().describe('The wallet.'),
    address: z.string().describe('Its address, lower case.'),
    lookbackDays: z.number().int().describe('How far back from the newest block, 1 to 30.'),
  }),
  result: backfillStateSchema.nullable(),
  limits: { perOrganization: 10, total: 200 },
  waitMs: 25_000,
  lifetimeMs: () => 0,
});

/** Returns the state of a backfill; null if the organization has none with this id. */
export const backfillState = defineKind({
  name: 'venue_b.backfill-state',
  params: z.object({
    id: z.string().describe('Id of the backfill.'),
    orgId: z.string().describe('The organization that asks.'),
  }),
  result: backfillStateSchema.nullable(),
  limits: { perOrganization: 20, total: 400 },
  waitMs: 5_000,
  lifetimeMs: () => 0,
});
