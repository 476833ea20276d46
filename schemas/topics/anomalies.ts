import { decimal, type Infer, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

/** The four detectors (specification, Anomaly record). */
export const ANOMALY_KINDS = ['trade_volume_spike', 'spread_widening', 'wallet_burst', 'settlement_delay'] as const;
export type AnomalyKind = (typeof ANOMALY_KINDS)[number];

const anomaly = record('Anomaly', 'A value far from its baseline, reported once per episode.', {
  id: text('`an_` and a hash of kind, provider, market and bucket.'),
  kind: oneOf(ANOMALY_KINDS, 'The detector.'),
  universalId: text('The event of the market.'),
  provider: text('Fine-grained provider.'),
  marketId: text('The market.'),
  ts: timestamp('Start of the bucket; the time of the resolution for `settlement_delay`.'),
  receivedAt: timestamp('Receive time of the input that completed it.'),
  bucketVol: nullable(decimal('Shares traded in the bucket; null where the detector does not measure them.')),
  value: decimal('What was measured: shares, price difference, fills of one wallet, or seconds.'),
  baselineMean: decimal('Mean of the baseline.'),
  baselineStddev: decimal('Population standard deviation of the baseline, as measured.'),
  zScore: decimal('(value - mean) / the larger of the deviation and its floor.'),
  raw: nullable(text('What else was measured, as a JSON object.')),
});
export type Anomaly = Infer<typeof anomaly>;
export const anomalyTopic = defineTopic({
  name: 'derived.anomalies',
  description: 'Detections of the four anomaly detectors.',
  key: 'universalId',
  partitions: 1,
  retention: { kind: 'derived' },
  schema: anomaly,
});
