import type { Migration } from './migration.ts';

/** The anomalies of a market move with it to another event, so queries search them by market. */
export const indexAnomaliesMarketsV1: Migration = {
  number: 16,
  name: '016-index-anomalies-markets-v1',
  sql: [
    'ALTER TABLE anomalies ADD INDEX IF NOT EXISTS byMarket marketId TYPE set(0) GRANULARITY 1',
    'ALTER TABLE anomalies MATERIALIZE INDEX IF EXISTS byMarket',
  ],
};
