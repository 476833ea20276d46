import { type Anomaly, anomalyTopic } from '../topics/anomalies.ts';
import { defineTable } from './table.ts';

/** One row per detection. */
export const anomaliesTable = defineTable<Anomaly>({
  name: 'anomalies',
  description: 'Detections of the four anomaly detectors.',
  holds: 'market',
  orderBy: ['universalId', 'ts', 'id'],
  shardBy: ['universalId'],
  monthOf: 'ts',
  fromTopics: [anomalyTopic],
  lowCardinality: ['provider'],
  // The anomalies of a market move with it to another event, so queries search them by market.
  indexes: ['INDEX byTime ts TYPE minmax GRANULARITY 1', 'INDEX byMarket marketId TYPE set(0) GRANULARITY 1'],
  settings: 'index_granularity = 1024',
});
