import type { Migration } from './migration.ts';

export const createResolutionsV1: Migration = {
  number: 12,
  name: '012-create-resolutions-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS resolutions (
      id String COMMENT '<provider>:<tx hash>:<log index> on chain, <provider>:<market> elsewhere',
      provider LowCardinality(String),
      marketId String,
      payouts Array(Decimal(38, 18)) COMMENT 'Fraction of one for each instrument, in the order of the market',
      resolvedAt DateTime64(3, 'UTC') COMMENT 'The time of the venue; block time on chain',
      receivedAt DateTime64(3, 'UTC'),
      endTime Nullable(DateTime64(3, 'UTC')) COMMENT 'The deadline of the market',
      txHash Nullable(String) COMMENT 'Chain only',
      logIndex Nullable(UInt64) COMMENT 'Chain only',
      blockNumber Nullable(UInt64) COMMENT 'Chain only',
      blockHash Nullable(String) COMMENT 'Chain only',
      status LowCardinality(String) COMMENT 'pending, confirmed or reverted',
      version UInt64 COMMENT 'Number of the record in its partition; the greatest counts'
    ) ENGINE = ReplacingMergeTree(version)
    PARTITION BY toYYYYMM(resolvedAt)
    ORDER BY (provider, marketId, resolvedAt, id)
    SETTINGS index_granularity = 1024`,
  ],
};
