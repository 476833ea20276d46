import type { Migration } from './migration.ts';

export const alterResolutionsV2: Migration = {
  number: 17,
  name: '017-alter-resolutions-v2',
  sql: [
    `ALTER TABLE resolutions ADD COLUMN IF NOT EXISTS decidedAfter Nullable(DateTime64(3, 'UTC'))
      COMMENT 'Off chain: decided then or later, and no later than resolvedAt; null where unknown, and on chain'
      AFTER resolvedAt`,
  ],
};
