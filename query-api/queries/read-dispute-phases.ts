import type { Store } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import type { DisputePhase } from '#schemas/topics/oracle';
import { IS_OF_MARKETS, type LinkedMarket, marketParameters } from './linked-markets.ts';
import { type Query, query } from './query.ts';

/** The store returns 64-bit integers as text. */
type Counts = 'requestTimestamp' | 'blockNumber' | 'logIndex';
type Row = Omit<DisputePhase, Counts> & Readonly<Record<Counts, string>>;

/**
 * The query for the dispute phases of markets, oldest first by position in the chain, each in its newest version,
 * without reverted ones. A phase may first be emitted without a market and again once its question is linked to one;
 * the newest version counts.
 */
export function disputePhases(markets: readonly LinkedMarket[]): Query<DisputePhase[]> {
  return {
    sql: `SELECT id, provider, marketId, questionId, phase, requestTimestamp, proposer, disputer, price,
       ${unixMs('d.ts')} AS ts, ${unixMs('d.receivedAt')} AS receivedAt, blockNumber, blockHash, txHash, logIndex, status
     FROM dispute_phases AS d FINAL
     WHERE ${IS_OF_MARKETS} AND status != 'reverted'
     ORDER BY d.blockNumber, d.logIndex, id`,
    parameters: marketParameters(markets),
    parse: (rows: Row[]) =>
      rows.map((row) => ({
        ...row,
        requestTimestamp: Number(row.requestTimestamp),
        blockNumber: Number(row.blockNumber),
        logIndex: Number(row.logIndex),
      })),
  };
}

export function readDisputePhases(
  store: Pick<Store, 'query'>,
  markets: readonly LinkedMarket[],
): Promise<DisputePhase[]> {
  return query(store, disputePhases(markets));
}
