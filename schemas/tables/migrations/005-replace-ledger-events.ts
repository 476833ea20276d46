import type { Migration } from './migration.ts';

/**
 * The rows of `ledger_events` are in `book_events`, whose key starts with the book, and which a replay fills: the state of
 * the stage has another version too.
 */
export const replaceLedgerEvents: Migration = {
  number: 5,
  name: '005-replace-ledger-events',
  sql: ['DROP TABLE IF EXISTS ledger_events'],
};
