import { z } from 'zod';
import { defineKind } from './kind.ts';

/** A slower scan takes about as long as most callers wait, so its result answers those who repeat the request. */
const SLOW_MS = 20_000;
const SLOW_LIFETIME_MS = 5 * 60_000;

/** Looks up the past fills of a venue_b wallet on the chain, and publishes them. */
export const historyBackfill = defineKind({
  name: 'venue_b.history-backfill',
  params: z.object({
    address: z.string().describe('The wallet, lower case.'),
    lookbackDays: z.number().int().describe('How far back from the newest block, 1 to 30.'),
  }),
  result: z.object({
    fills: z.number().int().describe('Fills of the wallet in the scanned blocks, published before or not.'),
    fromBlock: z.number().int().describe('First scanned block.'),
    toBlock: z.number().int().describe('Last scanned block.'),
  }),
  limits: { perOrganization: 10, total: 200 },
  waitMs: 25_000,
  lifetimeMs: (_params, tookMs) => (tookMs >= SLOW_MS ? SLOW_LIFETIME_MS : 0),
});
