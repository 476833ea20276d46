import { type DailyRow, dailyRowTopic } from '../topics/daily.ts';
import { defineTable } from './table.ts';

/** One row per market and UTC day; a corrected row replaces the one before. */
export const dailyRowsTable = defineTable<DailyRow>({
  name: 'daily_rows',
  description: 'Daily rows of the markets of venue_a, newest state of each.',
  holds: 'market',
  orderBy: ['tradeDate', 'marketType', 'symbol'],
  shardBy: ['tradeDate'],
  fromTopics: [dailyRowTopic],
  lowCardinality: ['tradeDate'],
});
