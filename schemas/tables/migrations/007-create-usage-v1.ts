import type { Migration } from './migration.ts';

export const createUsageV1: Migration = {
  number: 7,
  name: '007-create-usage-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS usage (
      orgId String,
      day DateTime64(3, 'UTC') COMMENT 'Start of the UTC day',
      sku LowCardinality(String),
      node String COMMENT 'The process that served them; the day of an organization is the sum over its nodes',
      units UInt64,
      removed UInt8 COMMENT '1 after a tombstone: not seen by FINAL reads',
      version UInt64 COMMENT 'Offset of the record, which has no number; the greatest counts'
    ) ENGINE = ReplacingMergeTree(version, removed)
    ORDER BY (orgId, day, sku, node)`,
  ],
};
