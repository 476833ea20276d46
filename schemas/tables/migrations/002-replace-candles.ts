import type { Migration } from './migration.ts';

/**
 * Moves the bars of `candles` into `candle_bars`, whose key also has the length and the source of a bar. `merge` reads
 * nothing where `candles` is absent, as in a new store and on the second of two nodes.
 */
export const replaceCandles: Migration = {
  number: 2,
  name: '002-replace-candles',
  sql: [
    `INSERT INTO candle_bars
       (provider, coin, openTime, intervalMs, source, receivedAt, open, high, low, close, volume, trades, version)
     SELECT provider, coin, openTime, 60000, source, receivedAt, open, high, low, close, volume, trades, version
     FROM merge(currentDatabase(), '^(candles|candle_bars)$') WHERE _table = 'candles'`,
    'DROP TABLE IF EXISTS candles',
  ],
};
