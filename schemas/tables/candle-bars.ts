import { type Candle, candleTopic, externalCandleTopic, venueCandleTopics } from '../topics/candles.ts';
import { defineTable } from './table.ts';

/** One row per source, instrument and bucket with a trade. All sources of a time are close together. */
export const candleBarsTable = defineTable<Candle>({
  name: 'candle_bars',
  description: 'Bars of every source, newest state of each.',
  holds: 'market',
  orderBy: ['provider', 'coin', 'openTime', 'intervalMs', 'source'],
  shardBy: ['provider', 'coin'],
  monthOf: 'openTime',
  fromTopics: [candleTopic, ...Object.values(venueCandleTopics), externalCandleTopic],
  lowCardinality: ['provider', 'coin', 'source'],
  settings: 'index_granularity = 1024',
});
