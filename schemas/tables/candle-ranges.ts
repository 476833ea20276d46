import {
  type CandleRange,
  candleRangeTopic,
  externalCandleRangeTopic,
  venueCandleRangeTopics,
} from '../topics/candles.ts';
import { candleBarsTable } from './candle-bars.ts';
import { defineTable } from './table.ts';

export const candleRangesTable = defineTable<CandleRange>({
  name: 'candle_ranges',
  description: 'Where each source of bars is complete, and gaps in recorded trades.',
  holds: 'market',
  orderBy: ['provider', 'coin', 'source', 'intervalMs', 'id'],
  shardBy: ['provider', 'coin'],
  fromTopics: [candleRangeTopic, ...Object.values(venueCandleRangeTopics), externalCandleRangeTopic],
  after: [candleBarsTable.name],
  lowCardinality: ['provider', 'coin', 'source'],
  settings: 'index_granularity = 1024',
});
