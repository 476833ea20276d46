import type { Migration } from './migration.ts';

export const createEventsV1: Migration = {
  number: 4,
  name: '004-create-events-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS events (
      universalId String,
      receivedAt DateTime64(3, 'UTC') COMMENT 'Receive time of the input that changed it',
      canonicalName String,
      kind LowCardinality(Nullable(String)) COMMENT 'Null when nothing was recognised',
      underlying LowCardinality(Nullable(String)),
      threshold Nullable(Decimal(38, 18)) COMMENT 'Strike',
      op LowCardinality(Nullable(String)) COMMENT 'Comparison, as gte',
      resolutionTime Nullable(DateTime64(3, 'UTC')),
      status LowCardinality(String) COMMENT 'open, closed or resolved',
      firstSeenAt DateTime64(3, 'UTC'),
      lastSeenAt DateTime64(3, 'UTC'),
      mergedInto Nullable(String) COMMENT 'The surviving event, where two turned out to be one',
      links Nested(
        provider LowCardinality(String),
        providerMarketId String,
        confidence Float64,
        source LowCardinality(String),
        polarity LowCardinality(String),
        used Bool,
        evidence String,
        yesInstrument String,
        noInstrument Nullable(String),
        takerFeeRate Nullable(Decimal(38, 18))
      ) COMMENT 'Its markets, sorted by provider then market',
      removed UInt8 COMMENT '1 after a tombstone: not seen by FINAL reads',
      version UInt64 COMMENT 'Number of the record in its partition; the greatest counts'
    ) ENGINE = ReplacingMergeTree(version, removed)
    ORDER BY universalId`,
  ],
};
