import { type Arbitrage, arbitrageTopic } from '../topics/derived.ts';
import { defineTable } from './table.ts';

/** One row per published arbitrage record. */
export const arbitrageTable = defineTable<Arbitrage>({
  name: 'arbitrage',
  description: 'Published arbitrage records of every event.',
  holds: 'market',
  orderBy: ['universalId', 'kind', 'receivedAt', 'version'],
  shardBy: ['universalId'],
  monthOf: 'receivedAt',
  fromTopics: [arbitrageTopic],
  lowCardinality: ['firstProvider', 'secondProvider', 'causeProvider'],
  signed: ['quoteAgeMs'],
  settings: 'index_granularity = 1024',
});
