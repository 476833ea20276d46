import { z } from 'zod';
import type { DisputePhase } from '../topics/oracle.ts';
import { blockNumberField, logIndexField, providerField, statusField, txHashField } from './fields.ts';
import { isoTime, isoTimeSchema } from './scalars.ts';

/** One ProposePrice, DisputePrice or Settle log of the oracle (contract, Markets, Dispute phase record). */
export const disputePhaseRecordSchema = z
  .object({
    id: z.string().describe('The same in every update of the phase.'),
    phase: z.enum(['propose', 'dispute', 'settle']).describe('What the log states.'),
    provider: providerField,
    marketId: z.string().nullable().describe('Null while the question cannot be tied to a market.'),
    questionId: z.string().describe("The oracle's id of the question."),
    requestTimestamp: z
      .number()
      .int()
      .describe('Unix seconds: which request of the question; a reset makes a new one.'),
    proposer: z.string().nullable().describe('Address that proposed the price; null if the log names none.'),
    disputer: z.string().nullable().describe('Null before a dispute.'),
    price: z.string().nullable().describe('"1", "0", "0.5", "ignore", or null for any other value.'),
    ts: isoTimeSchema.describe('Block time.'),
    blockNumber: blockNumberField,
    txHash: txHashField,
    logIndex: logIndexField,
    status: statusField,
  })
  .meta({ id: 'DisputePhase' });
export type DisputePhaseRecord = z.infer<typeof disputePhaseRecordSchema>;

/** The dispute phase record of a phase of the topic. */
export function toDisputePhaseRecord(phase: DisputePhase): DisputePhaseRecord {
  return {
    id: phase.id,
    phase: phase.phase,
    provider: phase.provider,
    marketId: phase.marketId,
    questionId: phase.questionId,
    requestTimestamp: phase.requestTimestamp,
    proposer: phase.proposer,
    disputer: phase.disputer,
    price: phase.price,
    ts: isoTime(phase.ts),
    blockNumber: phase.blockNumber,
    txHash: phase.txHash,
    logIndex: phase.logIndex,
    status: phase.status,
  };
}
