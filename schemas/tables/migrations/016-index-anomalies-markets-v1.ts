import type { Migration } from './migration.ts';

/** A market takes its detections with it when it moves to another event, so they are looked for by the market. */
export const indexAnomaliesMarketsV1: Migration = {
  number: 16,
  name: '016-index-anomalies-markets-v1',
  sql: [
    'ALTER TABLE anomalies ADD INDEX IF NOT EXISTS byMarket marketId TYPE set(0) GRANULARITY 1',
    'ALTER TABLE anomalies MATERIALIZE INDEX IF EXISTS byMarket',
  ],
};
