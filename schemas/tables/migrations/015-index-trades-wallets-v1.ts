import type { Migration } from './migration.ts';

/**
 * Fills of a wallet are scattered over the table. One index covers both columns, since the engine uses one index at a time
 * and a wallet may be in either. Old parts get the index in the background; until then queries scan them completely.
 */
export const indexTradesWalletsV1: Migration = {
  number: 15,
  name: '015-index-trades-wallets-v1',
  sql: [
    'ALTER TABLE trades ADD INDEX IF NOT EXISTS byWallet (maker, taker) TYPE bloom_filter(0.001) GRANULARITY 1',
    'ALTER TABLE trades MATERIALIZE INDEX IF EXISTS byWallet',
  ],
};
