import type { Migration } from './migration.ts';

/**
 * Deliveries are stored for 30 days (contract, Webhooks), and existing ones for 30 days from the migration: the second
 * statement writes the column into their parts.
 */
export const alterDeliveriesV2: Migration = {
  number: 20,
  name: '020-alter-deliveries-v2',
  sql: [
    `ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS storedAt DateTime('UTC') MATERIALIZED now()
      COMMENT 'Wall time at which the row was written here'`,
    'ALTER TABLE deliveries MODIFY TTL storedAt + INTERVAL 30 DAY',
  ],
};
