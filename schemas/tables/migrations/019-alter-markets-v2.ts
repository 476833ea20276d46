import type { Migration } from './migration.ts';

export const alterMarketsV2: Migration = {
  number: 19,
  name: '019-alter-markets-v2',
  sql: [
    `ALTER TABLE markets ADD COLUMN IF NOT EXISTS resolved Bool DEFAULT false
      COMMENT 'Resolved, according to the catalog'
      AFTER fields`,
    `ALTER TABLE markets ADD COLUMN IF NOT EXISTS name Nullable(String)
      COMMENT 'A display name, for a market that shares its title with many others'
      AFTER resolved`,
  ],
};
