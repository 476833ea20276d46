import { disputePhasesTable } from '#schemas/tables/dispute-phases';
import type { DisputePhase } from '#schemas/topics/oracle';
import { IS_OF_MARKETS, type LinkedMarket, marketParameters } from './linked-markets.ts';
import { type Query, query, type Reader } from './query.ts';
import { selectColumns } from './select-columns.ts';

const COLUMNS = selectColumns(disputePhasesTable, 'd');

/**
 * The query for the dispute phases of markets, oldest first by position in the chain, each in its newest version,
 * without reverted ones. A phase may first be emitted without a market and again once its question is linked to one;
 * the newest version counts.
 */
export function disputePhases(markets: readonly LinkedMarket[]): Query<DisputePhase[]> {
  return {
    name: 'dispute-phases',
    sql: `SELECT ${COLUMNS}
     FROM dispute_phases AS d FINAL
     WHERE ${IS_OF_MARKETS} AND status != 'reverted'
     ORDER BY d.blockNumber, d.logIndex, id`,
    parameters: marketParameters(markets),
    parse: (rows: DisputePhase[]) => rows,
  };
}

export function readDisputePhases(store: Reader, markets: readonly LinkedMarket[]): Promise<DisputePhase[]> {
  return query(store, disputePhases(markets));
}
