import { z } from 'zod';
import { EVENT_OUTCOMES, type MarketSide, outcomeOf } from '../domain/event-outcome.ts';
import { isDecisionTimeKnown, settlementDelayMs } from '../domain/settlement-delay.ts';
import type { Resolution } from '../topics/oracle.ts';
import { marketIdField, providerField, statusField, txHashField } from './fields.ts';
import { isoTime, isoTimeSchema } from './scalars.ts';

/** An off-chain venue publishes no time of a decision, but an upper bound is always known: so it is never null. */
export const RESOLVED_AT =
  'On chain the time of the block. Off chain the time, by our clock, by which the market was resolved at the latest: when the venue first reported that it is resolved or, if it was resolved before the first request, when the venue was first queried, which may be long after the decision. Where resolvedAtIsBound is false it was resolved in the 5 minutes before.';

export const RESOLVED_AT_IS_BOUND =
  'True where resolvedAt is only an upper bound: the market was resolved at that time or at any time before it. False where it is the time of the decision: the time of a block, or off chain a time known within 5 minutes.';
/** The end time of the market itself, which can differ from that of its event. */
export const END_TIME = "The market's own end time; null where unknown.";
export const USED =
  'True if the link of the market is used, as for spreads and arbitrage. On the channel and in webhooks it is always true: only markets of used links are published there.';

/**
 * How a linked market was resolved, as REST and WebSocket return it (contract, Markets, Settlement record). `outcome` is
 * that of the event, `payouts` are those of the market.
 */
export const settlementRecordSchema = z
  .object({
    provider: providerField,
    marketId: marketIdField,
    used: z.boolean().describe(USED),
    outcome: z.enum(EVENT_OUTCOMES).describe("In the event's terms: an inverse link gives the other side."),
    payouts: z.array(z.string()).describe("What a share of each token pays, exact, in the market's own order."),
    resolvedAt: isoTimeSchema.describe(RESOLVED_AT),
    resolvedAtIsBound: z.boolean().describe(RESOLVED_AT_IS_BOUND),
    endTime: isoTimeSchema.nullable().describe(END_TIME),
    settlementDelaySec: z
      .number()
      .int()
      .nullable()
      .describe("Seconds after the market's own end; null where either time is not known well enough."),
    txHash: txHashField.nullable().describe('Hash of the transaction; null off chain.'),
    logIndex: z.number().int().nullable().describe('Null off chain.'),
    blockNumber: z.number().int().nullable().describe('Null off chain.'),
    status: statusField,
  })
  .meta({ id: 'Settlement' });
export type SettlementRecord = z.infer<typeof settlementRecordSchema>;

/**
 * Builds the settlement record of a resolution whose market is linked to the event as in `side`; null if its payouts do
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
