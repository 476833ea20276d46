import { z } from 'zod';
import { EVENT_OUTCOMES, type MarketSide, outcomeOf } from '../domain/event-outcome.ts';
import { isDecisionTimeKnown, settlementDelayMs } from '../domain/settlement-delay.ts';
import type { Resolution } from '../topics/oracle.ts';
import { isoTime, isoTimeSchema } from './scalars.ts';

/** A venue off chain tells no time of a decision, but a time by which it was made there is always: so it is never null. */
export const RESOLVED_AT =
  'On chain the time of the block. Off chain the time, by our clock, at which it was decided at the latest: when the venue first told that the market is over or, of one that was over before anyone looked, when the venue was asked, which may be long after the decision. Where resolvedAtIsBound is false it was decided in the 5 minutes before.';

export const RESOLVED_AT_IS_BOUND =
  'True where resolvedAt is only a bound: the market was decided at that time or at any time before it. False where it is the moment itself: the time of a block, or off chain a moment known within 5 minutes.';
/** The market's own end, which is not always the one that its event has. */
export const END_TIME = "The market's own end time; null where unknown.";
export const USED =
  'True if the link of the market is used, as for spreads and arbitrage. On the channel and at webhooks it is always true: only markets of used links land there.';

/**
 * How a linked market was decided, as REST and WebSocket tell it (contract, Markets, Settlement record). `outcome` is the
 * event's, `payouts` are the market's.
 */
export const settlementRecordSchema = z.object({
  provider: z.string(),
  marketId: z.string(),
  used: z.boolean().describe(USED),
  outcome: z.enum(EVENT_OUTCOMES).describe("In the event's terms: of an inverse link the other side."),
  payouts: z.array(z.string()).describe("What a share of each token is paid, exact, in the market's own order."),
  resolvedAt: isoTimeSchema.describe(RESOLVED_AT),
  resolvedAtIsBound: z.boolean().describe(RESOLVED_AT_IS_BOUND),
  endTime: isoTimeSchema.nullable().describe(END_TIME),
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

/**
 * Builds the settlement record of a resolution whose market is linked to the event as `side` says; null if its payouts do
 * not cover both tokens. `used` is true if that link is used. Throws `DecimalError`.
 */
export function toSettlementRecord(resolution: Resolution, side: MarketSide, used: boolean): SettlementRecord | null {
  const outcome = outcomeOf(resolution.payouts, side);
  if (outcome === null) return null;
  return {
    provider: resolution.provider,
    marketId: resolution.marketId,
    used,
    outcome,
    payouts: [...resolution.payouts],
    resolvedAt: isoTime(resolution.resolvedAt),
    resolvedAtIsBound: !isDecisionTimeKnown(resolution),
    endTime: resolution.endTime === null ? null : isoTime(resolution.endTime),
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
