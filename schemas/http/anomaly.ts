import { z } from 'zod';
import { ANOMALY_KINDS, type Anomaly } from '../topics/anomalies.ts';
import { marketIdField, providerField, universalIdField } from './fields.ts';
import { decimalNumber, decimalNumberOrNull, isoTime, isoTimeSchema } from './scalars.ts';

/** An anomaly as REST and WebSocket return it (specification, Anomaly record). */
export const anomalyRecordSchema = z
  .object({
    id: z.string().describe('`an_<id>`.'),
    kind: z.enum(ANOMALY_KINDS).describe('What was detected.'),
    universalId: universalIdField,
    provider: providerField,
    marketId: marketIdField,
    ts: isoTimeSchema.describe('Start of the minute; for a settlement delay the time of the resolution.'),
    bucketVol: z
      .number()
      .nullable()
      .describe('Shares traded in the minute; null where the detector does not measure them.'),
    baselineMean: z.number().describe('Mean of the baseline, in the unit of what was measured.'),
    baselineStddev: z.number().describe('Standard deviation of the baseline.'),
    zScore: z.number().describe('Distance from the mean in standard deviations.'),
    raw: z.record(z.string(), z.unknown()).nullable().describe('What else was measured; null if nothing was.'),
  })
  .meta({ id: 'Anomaly' });
export type AnomalyRecord = z.infer<typeof anomalyRecordSchema>;

/** The fields of an anomaly that clients receive. */
type Detection = Omit<Anomaly, 'receivedAt' | 'value'>;

/** The anomaly record of a detection. `universalId` differs from its own if that event was merged into another one. */
export function toAnomalyRecord(anomaly: Detection, universalId: string = anomaly.universalId): AnomalyRecord {
  return {
    id: anomaly.id,
    kind: anomaly.kind,
    universalId,
    provider: anomaly.provider,
    marketId: anomaly.marketId,
    ts: isoTime(anomaly.ts),
    bucketVol: decimalNumberOrNull(anomaly.bucketVol),
    baselineMean: decimalNumber(anomaly.baselineMean),
    baselineStddev: decimalNumber(anomaly.baselineStddev),
    zScore: decimalNumber(anomaly.zScore),
    raw: anomaly.raw === null ? null : (JSON.parse(anomaly.raw) as Record<string, unknown>),
  };
}
