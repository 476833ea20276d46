import type { Migration } from './migration.ts';

export const createAuditLogV1: Migration = {
  number: 8,
  name: '008-create-audit-log-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS audit_log (
      orgId String,
      at DateTime64(3, 'UTC') COMMENT 'Wall time of the command',
      id String COMMENT 'The command',
      receivedAt DateTime64(3, 'UTC') COMMENT 'Event time from which it is effective',
      action LowCardinality(String),
      keyId Nullable(String) COMMENT 'Null for the service itself',
      userId Nullable(String),
      targetId String,
      version UInt64 COMMENT 'Number of the record in its partition; the greatest counts'
    ) ENGINE = ReplacingMergeTree(version)
    ORDER BY (orgId, at, id)`,
  ],
};
