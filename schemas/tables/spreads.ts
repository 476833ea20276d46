import { type Spread, spreadTopic } from '../topics/derived.ts';
import { defineTable } from './table.ts';

/**
 * One row per published spread, its legs as parallel arrays. An event can have two spreads in one millisecond, so the
 * sorting key contains the version.
 */
export const spreadsTable = defineTable<Spread>({
  name: 'spreads',
  description: 'Published spreads of every event.',
  holds: 'market',
  orderBy: ['universalId', 'receivedAt', 'version'],
  shardBy: ['universalId'],
  monthOf: 'receivedAt',
  fromTopics: [spreadTopic],
  lowCardinality: ['causeProvider', 'legs.provider'],
  settings: 'index_granularity = 1024',
});
