import type { Migration } from './migration.ts';

export const createDeliveryAttemptsV1: Migration = {
  number: 10,
  name: '010-create-delivery-attempts-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS delivery_attempts (
      orgId String,
      webhookId String,
      deliveryId String,
      attempt UInt64 COMMENT 'Counts from 1',
      at DateTime64(3, 'UTC') COMMENT 'Wall time at which it began',
      durationMs UInt64,
      status Nullable(UInt64) COMMENT 'HTTP status; null without a response',
      error Nullable(String),
      outcome LowCardinality(String) COMMENT 'pending, delivered or failed',
      nextAttemptAt Nullable(DateTime64(3, 'UTC')),
      version UInt64 COMMENT 'Number of the record in its partition; the greatest counts'
    ) ENGINE = ReplacingMergeTree(version)
    ORDER BY (orgId, webhookId, deliveryId, attempt)`,
  ],
};
