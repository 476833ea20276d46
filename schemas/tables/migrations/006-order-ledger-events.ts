import type { Migration } from './migration.ts';

/** Adds the number of an event among those at its place. A replay fills it: the state of the stage has another version. */
export const orderLedgerEvents: Migration = {
  number: 6,
  name: '006-order-ledger-events',
  sql: ['ALTER TABLE book_events ADD COLUMN IF NOT EXISTS `nth` UInt64 AFTER `index`'],
};
