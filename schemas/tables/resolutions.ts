import { type Resolution, resolutionTopics } from '../topics/oracle.ts';
import { countColumn, decimalColumn, nullableCountColumn, nullableTimeColumn, timeColumn } from './columns.ts';
import { defineTable } from './table.ts';

/** One row per resolution of a market, newest state of each. */
export const resolutionsTable = defineTable<Resolution>({
  name: 'resolutions',
  description: 'How markets were resolved, newest state of each.',
  orderBy: ['provider', 'marketId', 'resolvedAt', 'id'],
  fromTopics: Object.values(resolutionTopics),
  row: (resolution, meta) => ({
    id: resolution.id,
    provider: resolution.provider,
    marketId: resolution.marketId,
    payouts: resolution.payouts.map(decimalColumn),
    resolvedAt: timeColumn(resolution.resolvedAt),
    decidedAfter: nullableTimeColumn(resolution.decidedAfter),
    receivedAt: timeColumn(resolution.receivedAt),
    endTime: nullableTimeColumn(resolution.endTime),
    txHash: resolution.txHash,
    logIndex: nullableCountColumn(resolution.logIndex),
    blockNumber: nullableCountColumn(resolution.blockNumber),
    blockHash: resolution.blockHash,
    status: resolution.status,
    version: countColumn(meta.seq),
  }),
});
