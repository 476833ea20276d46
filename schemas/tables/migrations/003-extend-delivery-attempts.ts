import type { Migration } from './migration.ts';

/** Adds the signatures with which an attempt was sent. */
export const extendDeliveryAttempts: Migration = {
  number: 3,
  name: '003-extend-delivery-attempts',
  sql: ['ALTER TABLE delivery_attempts ADD COLUMN IF NOT EXISTS `signature` Nullable(String) AFTER `nextAttemptAt`'],
};
