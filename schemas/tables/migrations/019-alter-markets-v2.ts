import type { Migration } from './migration.ts';

export const alterMarketsV2: Migration = {
  number: 19,
  name: '019-alter-markets-v2',
  sql: [
    `ALTER TABLE markets ADD COLUMN IF NOT EXISTS resolved Bool DEFAULT false
      COMMENT 'Decided, as far as the catalog tells'
      AFTER fields`,
    `ALTER TABLE markets ADD COLUMN IF NOT EXISTS name Nullable(String)
      COMMENT 'A name for people, where the title alone is one that many markets share'
      AFTER resolved`,
  ],
};
