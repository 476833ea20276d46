import { z } from 'zod';
import { EVENT_OUTCOMES, type MarketSide, outcomeOf } from '../domain/event-outcome.ts';
import { settlementDelayMs } from '../domain/settlement-delay.ts';
import type { Resolution } from '../topics/oracle.ts';
import { isoTime, isoTimeSchema } from './scalars.ts';

/** A venue off chain tells no time of a decision, but a time by which it was made there is always: so it is never null. */
export const RESOLVED_AT =
  'On chain the time of the block. Off chain the time, by our clock, at which it was decided at the latest: when the venue first told that the market is over or, of one that was over before anyone looked, when the venue was asked, which may be long after the decision. Where settlementDelaySec is not null it was decided in the 5 minutes before.';

/**
 * How a linked market was decided, as REST and WebSocket tell it (contract, Markets, Settlement record). `outcome` is the
 * event's, `payouts` are the market's.
 */
export const settlementRecordSchema = z.object({
  provider: z.string(),
  marketId: z.string(),
  outcome: z.enum(EVENT_OUTCOMES).describe("In the event's terms: of an inverse link the other side."),
  payouts: z.array(z.string()).describe("What a share of each token is paid, exact, in the market's own order."),
  resolvedAt: isoTimeSchema.describe(RESOLVED_AT),
  settlementDelaySec: z
    .number()
    .int()
    .nullable()
    .describe("After the market's own end; null where either moment is not known well enough."),
  txHash: z.string().nullable(),
  logIndex: z.number().int().nullable().describe('Null off chain.'),
  blockNumber: z.number().int().nullable().describe('Null off chain.'),
  status: z.enum(['pending', 'confirmed', 'reverted']),
});
export type SettlementRecord = z.infer<typeof settlementRecordSchema>;

/** The settlement record of a resolution; null where its payouts do not speak of both tokens. Throws `DecimalError`. */
export function toSettlementRecord(resolution: Resolution, side: MarketSide): SettlementRecord | null {
  const outcome = outcomeOf(resolution.payouts, side);
  if (outcome === null) return null;
  return {
    provider: resolution.provider,
    marketId: resolution.marketId,
    outcome,
    payouts: [...resolution.payouts],
    resolvedAt: isoTime(resolution.resolvedAt),
    settlementDelaySec: settlementDelaySec(resolution),
    txHash: resolution.txHash,
    logIndex: resolution.logIndex,
    blockNumber: resolution.blockNumber,
    status: resolution.status,
  };
}

function settlementDelaySec(resolution: Resolution): number | null {
  const delayMs = settlementDelayMs(resolution);
  return delayMs === null ? null : Math.round(delayMs / 1_000);
}
