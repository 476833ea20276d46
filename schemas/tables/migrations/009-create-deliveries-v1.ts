import type { Migration } from './migration.ts';

export const createDeliveriesV1: Migration = {
  number: 9,
  name: '009-create-deliveries-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS deliveries (
      orgId String,
      webhookId String,
      createdAt DateTime64(3, 'UTC') COMMENT 'When it was first due',
      id String,
      receivedAt DateTime64(3, 'UTC') COMMENT 'Event time',
      eventId String,
      eventType LowCardinality(String),
      test Bool,
      body String COMMENT 'The bytes of every attempt',
      version UInt64 COMMENT 'Number of the record in its partition; the greatest counts'
    ) ENGINE = ReplacingMergeTree(version)
    ORDER BY (orgId, webhookId, createdAt, id)`,
  ],
};
