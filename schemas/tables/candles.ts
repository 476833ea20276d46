import { type Candle, candleTopic } from '../topics/derived.ts';
import { defineTable } from './table.ts';

/** One row per coin and minute with a trade. */
export const candlesTable = defineTable<Candle>({
  name: 'candles',
  description: 'One-minute bars, newest state of each.',
  holds: 'market',
  orderBy: ['provider', 'coin', 'openTime'],
  shardBy: ['provider', 'coin'],
  monthOf: 'openTime',
  fromTopics: [candleTopic],
  lowCardinality: ['provider', 'coin', 'source'],
  settings: 'index_granularity = 1024',
});
