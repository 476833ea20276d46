import type { Migration } from './migration.ts';

export const createCandlesV1: Migration = {
  number: 3,
  name: '003-create-candles-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS candles (
      provider LowCardinality(String),
      coin LowCardinality(String),
      openTime DateTime64(3, 'UTC') COMMENT 'Start of the minute',
      receivedAt DateTime64(3, 'UTC') COMMENT 'Receive time of the trade that changed it last',
      open Decimal(38, 18),
      high Decimal(38, 18),
      low Decimal(38, 18),
      close Decimal(38, 18),
      volume Decimal(38, 18) COMMENT 'Base volume',
      trades UInt64 COMMENT 'Number of trades',
      source LowCardinality(String) COMMENT 'venue_node for bars from observed trades',
      version UInt64 COMMENT 'Number of the record in its partition; the greatest counts'
    ) ENGINE = ReplacingMergeTree(version)
    PARTITION BY toYYYYMM(openTime)
    ORDER BY (provider, coin, openTime)
    SETTINGS index_granularity = 1024`,
  ],
};
