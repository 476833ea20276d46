import type { Migration } from './migration.ts';

export const createDisputePhasesV1: Migration = {
  number: 11,
  name: '011-create-dispute-phases-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS dispute_phases (
      id String COMMENT '<provider>:<tx hash>:<log index>',
      provider LowCardinality(String),
      marketId Nullable(String) COMMENT 'Null while the request cannot be tied to a market',
      questionId String COMMENT 'Question id of the adapter that sent the request',
      phase LowCardinality(String) COMMENT 'propose, dispute or settle',
      requestTimestamp UInt64 COMMENT 'Unix seconds: which request of the question',
      proposer Nullable(String),
      disputer Nullable(String),
      price LowCardinality(Nullable(String)) COMMENT '1, 0, 0.5, ignore, or null for any other value',
      ts DateTime64(3, 'UTC') COMMENT 'Block time',
      receivedAt DateTime64(3, 'UTC'),
      blockNumber UInt64,
      blockHash String,
      txHash String,
      logIndex UInt64,
      status LowCardinality(String) COMMENT 'pending, confirmed or reverted',
      version UInt64 COMMENT 'Number of the record in its partition; the greatest counts',
      INDEX byMarket marketId TYPE set(0) GRANULARITY 1
    ) ENGINE = ReplacingMergeTree(version)
    PARTITION BY toYYYYMM(ts)
    ORDER BY (provider, questionId, blockNumber, logIndex, id)
    SETTINGS index_granularity = 1024`,
  ],
};
