import { type DisputePhase, disputeTopic } from '../topics/oracle.ts';
import { defineTable } from './table.ts';

/** One row per ProposePrice, DisputePrice and Settle log, newest state of each. */
export const disputePhasesTable = defineTable<DisputePhase>({
  name: 'dispute_phases',
  description: 'Steps of the oracle of venue_b, newest state of each.',
  holds: 'market',
  orderBy: ['provider', 'questionId', 'blockNumber', 'logIndex', 'id'],
  shardBy: ['provider', 'questionId'],
  monthOf: 'ts',
  fromTopics: [disputeTopic],
  lowCardinality: ['provider', 'price'],
  indexes: ['INDEX byMarket marketId TYPE set(0) GRANULARITY 1'],
  settings: 'index_granularity = 1024',
});
