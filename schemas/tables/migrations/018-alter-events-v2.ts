import type { Migration } from './migration.ts';

export const alterEventsV2: Migration = {
  number: 18,
  name: '018-alter-events-v2',
  sql: [
    `ALTER TABLE events ADD COLUMN IF NOT EXISTS details String DEFAULT '{}'
      COMMENT 'Fields of its kind, e.g. lower and upper of a range: a JSON object'
      AFTER mergedInto`,
    `ALTER TABLE events ADD COLUMN IF NOT EXISTS overAt Nullable(DateTime64(3, 'UTC'))
      COMMENT 'Since when all its markets are closed or resolved; null while one is open, and after a merge'
      AFTER details`,
    // The list is paged by time, but rows are sorted by id: without the projection each page reads the whole table.
    "ALTER TABLE events MODIFY SETTING deduplicate_merge_projection_mode = 'rebuild'",
    `ALTER TABLE events ADD PROJECTION IF NOT EXISTS byFirstSeen
      (SELECT * ORDER BY firstSeenAt, universalId)`,
  ],
};
