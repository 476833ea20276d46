import type { Migration } from './migration.ts';

export const createAnomaliesV1: Migration = {
  number: 13,
  name: '013-create-anomalies-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS anomalies (
      id String COMMENT 'an_ and a hash of kind, provider, market and bucket',
      kind LowCardinality(String) COMMENT 'The detector',
      universalId String,
      provider LowCardinality(String),
      marketId String,
      ts DateTime64(3, 'UTC') COMMENT 'Start of the bucket, or time of the resolution',
      receivedAt DateTime64(3, 'UTC'),
      bucketVol Nullable(Decimal(38, 18)) COMMENT 'Shares traded in the bucket',
      value Decimal(38, 18) COMMENT 'What was measured',
      baselineMean Decimal(38, 18),
      baselineStddev Decimal(38, 18) COMMENT 'Population standard deviation, as measured',
      zScore Decimal(38, 18),
      raw Nullable(String) COMMENT 'What else was measured, as JSON',
      version UInt64 COMMENT 'Number of the record in its partition; the greatest counts',
      INDEX byTime ts TYPE minmax GRANULARITY 1
    ) ENGINE = ReplacingMergeTree(version)
    PARTITION BY toYYYYMM(ts)
    ORDER BY (universalId, ts, id)
    SETTINGS index_granularity = 1024`,
  ],
};
