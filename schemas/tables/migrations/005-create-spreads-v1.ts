import type { Migration } from './migration.ts';

export const createSpreadsV1: Migration = {
  number: 5,
  name: '005-create-spreads-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS spreads (
      universalId String,
      receivedAt DateTime64(3, 'UTC') COMMENT 'The moment of the quotes',
      causeProvider LowCardinality(Nullable(String)) COMMENT 'The leg that caused it; null on a tick',
      causeMarketId Nullable(String) COMMENT 'The leg that caused it; null on a tick',
      legs Nested(
        provider LowCardinality(String),
        marketId String,
        yesBid Nullable(Decimal(38, 18)),
        yesAsk Nullable(Decimal(38, 18)),
        yesMid Nullable(Decimal(38, 18)),
        live Bool,
        bookAt Nullable(DateTime64(3, 'UTC'))
      ) COMMENT 'Legs in use, sorted by provider then market; null is an empty side or a book never received',
      version UInt64 COMMENT 'Number of the record in its partition'
    ) ENGINE = ReplacingMergeTree
    PARTITION BY toYYYYMM(receivedAt)
    ORDER BY (universalId, receivedAt, version)
    SETTINGS index_granularity = 1024`,
  ],
};
