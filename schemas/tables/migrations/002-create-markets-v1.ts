import type { Migration } from './migration.ts';

export const createMarketsV1: Migration = {
  number: 2,
  name: '002-create-markets-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS markets (
      venue LowCardinality(String) COMMENT 'Whose catalog lists it',
      marketId String COMMENT 'Condition id (venue_b) or YES coin (venue_a_outcome)',
      provider LowCardinality(String),
      receivedAt DateTime64(3, 'UTC') COMMENT 'When this state of it was received',
      title String,
      description String COMMENT 'Description or rules text',
      groupTitle Nullable(String) COMMENT 'Title of the event or question that it belongs to',
      groupItemTitle Nullable(String) COMMENT 'What distinguishes it from its siblings',
      slug Nullable(String),
      resolutionSource Nullable(String) COMMENT 'The named settlement source',
      startTime Nullable(DateTime64(3, 'UTC')),
      endTime Nullable(DateTime64(3, 'UTC')),
      instruments Array(String) COMMENT 'Coins or tokens; the first is YES or the first outcome',
      outcomes Array(String) COMMENT 'Names in the order of instruments',
      active Bool,
      closed Bool,
      takerFeeRate Nullable(Decimal(38, 18)) COMMENT 'Null is unknown',
      fields String COMMENT 'Structured fields of the venue as a JSON object',
      removed UInt8 COMMENT '1 after a tombstone: not seen by FINAL reads',
      version UInt64 COMMENT 'Number of the record in its partition; the greatest counts'
    ) ENGINE = ReplacingMergeTree(version, removed)
    ORDER BY (venue, marketId)`,
  ],
};
