import { type FlowCoverage, flowCoverageTopics } from '../topics/account-flows.ts';
import { accountFlowsTable } from './account-flows.ts';
import { defineTable } from './table.ts';

export const flowCoverageTable = defineTable<FlowCoverage>({
  name: 'flow_coverage',
  description: 'Between which times the flows of followed accounts are known.',
  holds: 'market',
  orderBy: ['account'],
  shardBy: ['account'],
  fromTopics: Object.values(flowCoverageTopics),
  // A row promises that the flows are there.
  after: [accountFlowsTable.name],
  omit: ['requestFrom', 'wantedPrices'],
  tombstone: ({ key, receivedAt }) => ({ account: key, receivedAt }),
});
