import { type AccountValue, accountValueTopic } from '../topics/accounts.ts';
import { defineTable } from './table.ts';

/** Checkpoints are made from values of the last day. */
const RETENTION_DAYS = 2;

export const accountValuesTable = defineTable<AccountValue>({
  name: 'account_values',
  description: 'What accounts were worth in the last day, one row for each acquisition.',
  holds: 'market',
  orderBy: ['account', 'receivedAt'],
  shardBy: ['account'],
  fromTopics: [accountValueTopic],
  lowCardinality: ['mode'],
  settings: 'index_granularity = 1024',
  retentionDays: RETENTION_DAYS,
  tombstone: 'ignored',
});
