import type { Migration } from './migration.ts';

/** The bars of `candles` are in `candle_bars`, which a replay fills: the state of the stage has another version too. */
export const replaceCandles: Migration = {
  number: 2,
  name: '002-replace-candles',
  sql: ['DROP TABLE IF EXISTS candles'],
};
