import { type AccountFlow, accountFlowTopics } from '../topics/account-flows.ts';
import { defineTable } from './table.ts';

export const accountFlowsTable = defineTable<AccountFlow>({
  name: 'account_flows',
  description: 'What crossed the border of followed accounts, newest state of each flow.',
  holds: 'market',
  orderBy: ['account', 'ledger', 'id'],
  shardBy: ['account'],
  fromTopics: Object.values(accountFlowTopics),
  lowCardinality: ['kind'],
  settings: 'index_granularity = 1024',
});
