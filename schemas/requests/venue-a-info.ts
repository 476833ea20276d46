/** Reads of `info` of venue_a on behalf of clients (venue page, section 3). */
import { z } from 'zod';
import { INTERVAL_NAMES } from '../domain/candles/sources.ts';
import { SERIES_LIFETIME_MS } from '../domain/returns/series.ts';
import { defineKind } from './kind.ts';

/** For how long the response to each type of read may be served, ms (contract, Reads from the venue, Candles, Trades, Money). */
export const INFO_LIFETIMES_MS = {
  l2Book: 2_000,
  clearinghouseState: 2_000,
  spotClearinghouseState: 2_000,
  frontendOpenOrders: 2_000,
  userFills: 2_000,
  historicalOrders: 10_000,
  portfolio: SERIES_LIFETIME_MS,
  meta: 60_000,
  spotMeta: 60_000,
  perpDexs: 60_000,
  candleSnapshot: 30_000,
  recentTrades: 5_000,
} as const;
export type InfoType = keyof typeof INFO_LIFETIMES_MS;
const INFO_TYPES = Object.keys(INFO_LIFETIMES_MS) as [InfoType, ...InfoType[]];

export const infoRead = defineKind({
  name: 'venue_a.info',
  params: z.object({
    type: z.enum(INFO_TYPES),
    user: z.string().optional().describe('Of a read about an account: its address, lower case.'),
    dex: z.string().optional().describe('A builder dex; absent for the main one.'),
    coin: z.string().optional(),
    req: z
      .object({
        coin: z.string(),
        interval: z.enum(INTERVAL_NAMES),
        startTime: z.number().int(),
        endTime: z.number().int(),
      })
      .optional()
      .describe('Of `candleSnapshot`: a coin, and a range of its bars with inclusive ends, unix ms.'),
  }),
  result: z.object({
    native: z.unknown().describe('The response as the venue sent it.'),
    fetchedAt: z.number().int().describe('When it was received, unix ms.'),
    source: z.enum(['official', 'node']),
    parts: z
      .array(z.object({ startTime: z.number().int(), endTime: z.number().int(), fetchedAt: z.number().int() }))
      .optional()
      .describe(
        'Of `candleSnapshot`: the ranges of bars that were received at several times; absent for one response.',
      ),
  }),
  limits: { perOrganization: 100, total: 1_000 },
  // The attempts take at most 25 s.
  waitMs: 27_000,
  lifetimeMs: ({ type }) => INFO_LIFETIMES_MS[type],
});
type Parameters = ReturnType<typeof infoRead.params.parse>;
/** A read, as it is sent to the venue. */
export type InfoRequest = Parameters;
export type InfoResult = ReturnType<typeof infoRead.result.parse>;
