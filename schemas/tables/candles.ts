import { type Candle, candleTopic } from '../topics/derived.ts';
import { countColumn, decimalColumn, timeColumn } from './columns.ts';
import { defineTable } from './table.ts';

/** One row per coin and minute with a trade. */
export const candlesTable = defineTable<Candle>({
  name: 'candles',
  description: 'One-minute bars, newest state of each.',
  orderBy: ['provider', 'coin', 'openTime'],
  fromTopics: [candleTopic],
  row: (candle, meta) => ({
    provider: candle.provider,
    coin: candle.coin,
    openTime: timeColumn(candle.openTime),
    receivedAt: timeColumn(candle.receivedAt),
    open: decimalColumn(candle.open),
    high: decimalColumn(candle.high),
    low: decimalColumn(candle.low),
    close: decimalColumn(candle.close),
    volume: decimalColumn(candle.volume),
    trades: countColumn(candle.trades),
    source: candle.source,
    version: countColumn(meta.seq),
  }),
});
