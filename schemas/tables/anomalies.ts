import { type Anomaly, anomalyTopic } from '../topics/anomalies.ts';
import { countColumn, decimalColumn, nullableDecimalColumn, timeColumn } from './columns.ts';
import { defineTable } from './table.ts';

/** One row per detection. */
export const anomaliesTable = defineTable<Anomaly>({
  name: 'anomalies',
  description: 'Detections of the four anomaly detectors.',
  orderBy: ['universalId', 'ts', 'id'],
  fromTopics: [anomalyTopic],
  row: (anomaly, meta) => ({
    id: anomaly.id,
    kind: anomaly.kind,
    universalId: anomaly.universalId,
    provider: anomaly.provider,
    marketId: anomaly.marketId,
    ts: timeColumn(anomaly.ts),
    receivedAt: timeColumn(anomaly.receivedAt),
    bucketVol: nullableDecimalColumn(anomaly.bucketVol),
    value: decimalColumn(anomaly.value),
    baselineMean: decimalColumn(anomaly.baselineMean),
    baselineStddev: decimalColumn(anomaly.baselineStddev),
    zScore: decimalColumn(anomaly.zScore),
    raw: anomaly.raw,
    version: countColumn(meta.seq),
  }),
});
