import { type DisputePhase, disputeTopic } from '../topics/oracle.ts';
import { countColumn, timeColumn } from './columns.ts';
import { defineTable } from './table.ts';

/** One row per ProposePrice, DisputePrice and Settle log, newest state of each. */
export const disputePhasesTable = defineTable<DisputePhase>({
  name: 'dispute_phases',
  description: 'Steps of the oracle of venue_b, newest state of each.',
  orderBy: ['provider', 'questionId', 'blockNumber', 'logIndex', 'id'],
  fromTopics: [disputeTopic],
  row: (phase, meta) => ({
    id: phase.id,
    provider: phase.provider,
    marketId: phase.marketId,
    questionId: phase.questionId,
    phase: phase.phase,
    requestTimestamp: countColumn(phase.requestTimestamp),
    proposer: phase.proposer,
    disputer: phase.disputer,
    price: phase.price,
    ts: timeColumn(phase.ts),
    receivedAt: timeColumn(phase.receivedAt),
    blockNumber: countColumn(phase.blockNumber),
    blockHash: phase.blockHash,
    txHash: phase.txHash,
    logIndex: countColumn(phase.logIndex),
    status: phase.status,
    version: countColumn(meta.seq),
  }),
});
