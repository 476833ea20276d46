/** What `data.payload` of an event frame holds, by its `data.type`: the record that REST returns too. */
import { z } from 'zod';
import { anomalyRecordSchema } from '../http/anomaly.ts';
import { arbitrageRecordSchema } from '../http/arbitrage.ts';
import { disputePhaseRecordSchema } from '../http/dispute-phase.ts';
import { settlementRecordSchema } from '../http/settlement.ts';
import { spreadSnapshotSchema } from '../http/spread.ts';
import { tradeRecordSchema } from '../http/trade.ts';

export const EVENT_PAYLOADS = {
  'event.spread': spreadSnapshotSchema,
  'event.arbitrage': arbitrageRecordSchema,
  'trade.observed': tradeRecordSchema,
  'user.fill': tradeRecordSchema,
  'anomaly.detected': anomalyRecordSchema,
  'settlement.dispute': disputePhaseRecordSchema,
  'settlement.landed': settlementRecordSchema,
  raw: z.unknown().describe('What the venue sent, byte for byte; its shape is that of the venue.'),
} as const satisfies Readonly<Record<string, z.ZodType>>;

/** A value of `data.type`. */
export type EventFrameType = keyof typeof EVENT_PAYLOADS;
