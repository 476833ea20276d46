import { type NodeFill, nodeFillTopic } from '../topics/node-fills.ts';
import { defineTable } from './table.ts';

/** Days for which a fill is stored. */
export const NODE_FILL_RETENTION_DAYS = 14;

/** One row per fill: the two users of a trade have one each. */
export const nodeFillsTable = defineTable<NodeFill>({
  name: 'node_fills',
  description: `Fills of all users of venue_a, from the files of a self-hosted node; stored for ${NODE_FILL_RETENTION_DAYS} days.`,
  holds: 'market',
  orderBy: ['user', 'time', 'coin', 'tid'],
  shardBy: ['user'],
  monthOf: 'time',
  fromTopics: [nodeFillTopic],
  lowCardinality: ['coin'],
  // Small granules, because queries read the newest fills of one user.
  settings: 'index_granularity = 1024',
  retentionDays: NODE_FILL_RETENTION_DAYS,
});
