import type { Migration } from './migration.ts';

/**
 * Fills of a wallet lie all over the table. One index over both columns, since the engine looks at one index at a time
 * and a wallet may stand in either. Old parts get it in the background; until then they are read whole.
 */
export const indexTradesWalletsV1: Migration = {
  number: 15,
  name: '015-index-trades-wallets-v1',
  sql: [
    'ALTER TABLE trades ADD INDEX IF NOT EXISTS byWallet (maker, taker) TYPE bloom_filter(0.001) GRANULARITY 1',
    'ALTER TABLE trades MATERIALIZE INDEX IF EXISTS byWallet',
  ],
};
