import type { Migration } from './migration.ts';

export const createArbitrageSignalsV1: Migration = {
  number: 14,
  name: '014-create-arbitrage-signals-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS arbitrage_signals (
      id String COMMENT 'Hash of event, kind, both markets and start',
      universalId String,
      kind LowCardinality(String) COMMENT 'cross_provider or negation_pair',
      firstProvider LowCardinality(String) COMMENT 'The leg bought, or the YES leg',
      firstMarketId String,
      secondProvider LowCardinality(String) COMMENT 'The leg sold, or the NO leg',
      secondMarketId String,
      receivedAt DateTime64(3, 'UTC') COMMENT 'Event time of the input that changed it',
      beganAt DateTime64(3, 'UTC') COMMENT 'First evaluation above zero',
      peakAt DateTime64(3, 'UTC') COMMENT 'When the net edge was largest',
      peakNetEdge Decimal(38, 18),
      decayedAt Nullable(DateTime64(3, 'UTC')) COMMENT 'First evaluation at half the peak or less',
      endedAt Nullable(DateTime64(3, 'UTC')) COMMENT 'First evaluation at zero or below, or without a record',
      version UInt64 COMMENT 'Number of the record in its partition; the greatest counts'
    ) ENGINE = ReplacingMergeTree(version)
    PARTITION BY toYYYYMM(beganAt)
    ORDER BY (universalId, beganAt, id)
    SETTINGS index_granularity = 1024`,
  ],
};
