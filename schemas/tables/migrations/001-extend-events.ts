import type { Migration } from './migration.ts';

/** Adds the title and the deadline of each linked market. */
export const extendEvents: Migration = {
  number: 1,
  name: '001-extend-events',
  sql: [
    'ALTER TABLE events ADD COLUMN IF NOT EXISTS `links.title` Array(String) AFTER `links.takerFeeRate`',
    "ALTER TABLE events ADD COLUMN IF NOT EXISTS `links.endTime` Array(Nullable(DateTime64(3, 'UTC'))) AFTER `links.title`",
  ],
};
