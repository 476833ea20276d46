import type { Store } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import type { DisputePhase } from '#schemas/topics/oracle';
import { IS_OF_MARKETS, type LinkedMarket, marketParameters } from './linked-markets.ts';
import { type Reading, readOne } from './reading.ts';

/** Counts come back as text, as every 64-bit integer. */
type Counts = 'requestTimestamp' | 'blockNumber' | 'logIndex';
type Row = Omit<DisputePhase, Counts> & Readonly<Record<Counts, string>>;

/**
 * The oracle's phases of markets, oldest first by their place in the chain, each in its newest state, reverted ones left
 * out. A phase is told before its question is tied to a market and again afterwards; its market is that of its newest
 * state.
 */
export function disputePhases(markets: readonly LinkedMarket[]): Reading<DisputePhase[]> {
  return {
    sql: `SELECT id, provider, marketId, questionId, phase, requestTimestamp, proposer, disputer, price,
       ${unixMs('d.ts')} AS ts, ${unixMs('d.receivedAt')} AS receivedAt, blockNumber, blockHash, txHash, logIndex, status
     FROM dispute_phases AS d FINAL
     WHERE ${IS_OF_MARKETS} AND status != 'reverted'
     ORDER BY d.blockNumber, d.logIndex, id`,
    parameters: marketParameters(markets),
    from: (rows: Row[]) =>
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
  return readOne(store, disputePhases(markets));
}
