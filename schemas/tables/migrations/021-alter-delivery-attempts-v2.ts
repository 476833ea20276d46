import type { Migration } from './migration.ts';

/** Attempts are stored as long as their deliveries (020). */
export const alterDeliveryAttemptsV2: Migration = {
  number: 21,
  name: '021-alter-delivery-attempts-v2',
  sql: [
    `ALTER TABLE delivery_attempts ADD COLUMN IF NOT EXISTS storedAt DateTime('UTC') MATERIALIZED now()
      COMMENT 'Wall time at which the row was written here'`,
    'ALTER TABLE delivery_attempts MODIFY TTL storedAt + INTERVAL 30 DAY',
  ],
};
