import { type AccountFill, accountFillTopic } from '../topics/account-fills.ts';
import { defineTable } from './table.ts';

export const accountFillsTable = defineTable<AccountFill>({
  name: 'account_fills',
  description: 'Fills of followed accounts of venue_a, as the venue states them.',
  holds: 'market',
  orderBy: ['account', 'ledger', 'time', 'id'],
  shardBy: ['account'],
  fromTopics: [accountFillTopic],
  lowCardinality: ['coin', 'dir', 'feeToken', 'builder', 'liquidationMethod'],
  settings: 'index_granularity = 1024',
});
