import { z } from 'zod';
import { anomalyRecordSchema } from './anomaly.ts';
import { arbDecaySchema } from './arb-decay.ts';
import { arbitrageRecordSchema } from './arbitrage.ts';
import { disputePhaseRecordSchema } from './dispute-phase.ts';
import { universalIdField } from './fields.ts';
import { isoTimeSchema } from './scalars.ts';
import { settlementRecordSchema } from './settlement.ts';
import { spreadSnapshotSchema } from './spread.ts';
import { tradeRecordSchema } from './trade.ts';
import { universalEventSchema } from './universal-event.ts';

/** All data of an event as of one moment (specification, Event health). Nothing in it is newer than `fetchedAt`. */
export const eventHealthSchema = z.object({
  universalId: universalIdField,
  event: universalEventSchema.describe('The event with its links.'),
  spread: spreadSnapshotSchema.describe('Its spread.'),
  arbitrage: z
    .object({
      crossProvider: arbitrageRecordSchema
        .nullable()
        .describe('The best `cross_provider` record; null if there is none.'),
      negationPair: arbitrageRecordSchema
        .nullable()
        .describe('The best `negation_pair` record; null if there is none.'),
    })
    .describe('The best record of each kind, from the legs in `spread`.'),
  consensusScore: z
    .number()
    .nullable()
    .describe('1 minus the largest distance between the yesMids of live legs; null with fewer than two.'),
  settlement: z.array(settlementRecordSchema).describe('Only markets of used links.'),
  disputeHistory: z.array(disputePhaseRecordSchema).describe('Oldest first.'),
  edgeHalfLife: arbDecaySchema
    .pick({ medianHalfLifeSec: true, decayedSignals: true, computedAt: true })
    .describe('How long its arbitrage lasts.'),
  recentAnomalies: z.array(anomalyRecordSchema).describe('The newest 20 of the trailing 7 days, newest first.'),
  recentTrades: z.array(tradeRecordSchema).describe('The newest 20, newest first.'),
  fetchedAt: isoTimeSchema.describe('The moment that everything here is as of.'),
});
