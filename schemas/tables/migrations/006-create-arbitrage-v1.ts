import type { Migration } from './migration.ts';

export const createArbitrageV1: Migration = {
  number: 6,
  name: '006-create-arbitrage-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS arbitrage (
      universalId String,
      kind LowCardinality(String) COMMENT 'cross_provider or negation_pair',
      receivedAt DateTime64(3, 'UTC') COMMENT 'The moment of the quotes',
      size Decimal(38, 18) COMMENT 'Shares walked',
      grossEdge Decimal(38, 18) COMMENT 'USD per share from the best prices',
      netEdge Decimal(38, 18) COMMENT 'USD per share after walking both books and fees',
      quoteAgeMs Int64 COMMENT 'Age of the last book frame of the older leg',
      firstProvider LowCardinality(String) COMMENT 'The leg bought, or the YES leg',
      firstMarketId String,
      firstPrice Decimal(38, 18) COMMENT 'Average of the walk',
      firstFee Decimal(38, 18) COMMENT 'USD per share',
      secondProvider LowCardinality(String) COMMENT 'The leg sold, or the NO leg',
      secondMarketId String,
      secondPrice Decimal(38, 18) COMMENT 'Average of the walk',
      secondFee Decimal(38, 18) COMMENT 'USD per share',
      causeProvider LowCardinality(Nullable(String)) COMMENT 'The leg that caused it; null on a tick',
      causeMarketId Nullable(String) COMMENT 'The leg that caused it; null on a tick',
      version UInt64 COMMENT 'Number of the record in its partition'
    ) ENGINE = ReplacingMergeTree
    PARTITION BY toYYYYMM(receivedAt)
    ORDER BY (universalId, kind, receivedAt, version)
    SETTINGS index_granularity = 1024`,
  ],
};
