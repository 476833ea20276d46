import { type Resolution, resolutionTopics } from '../topics/oracle.ts';
import { defineTable } from './table.ts';

/** One row per resolution of a market, newest state of each. */
export const resolutionsTable = defineTable<Resolution>({
  name: 'resolutions',
  description: 'How markets were resolved, newest state of each.',
  holds: 'market',
  orderBy: ['provider', 'marketId', 'resolvedAt', 'id'],
  shardBy: ['provider', 'marketId'],
  monthOf: 'resolvedAt',
  fromTopics: Object.values(resolutionTopics),
  lowCardinality: ['provider'],
  settings: 'index_granularity = 1024',
});
