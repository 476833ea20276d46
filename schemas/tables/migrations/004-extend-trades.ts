import type { Migration } from './migration.ts';

/** Adds the builders of both orders of a trade, and the price of the maker's token. */
export const extendTrades: Migration = {
  number: 4,
  name: '004-extend-trades',
  sql: [
    'ALTER TABLE trades ADD COLUMN IF NOT EXISTS `makerBuilder` LowCardinality(Nullable(String)) FIRST',
    'ALTER TABLE trades ADD COLUMN IF NOT EXISTS `makerPrice` Nullable(Decimal(38, 18)) AFTER `makerBuilder`',
    'ALTER TABLE trades ADD COLUMN IF NOT EXISTS `takerBuilder` LowCardinality(Nullable(String)) AFTER `makerPrice`',
  ],
};
