import type { Store } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import type { Trade } from '#schemas/topics/normalised';

type Row = Omit<Trade, 'arrival' | 'logIndex' | 'blockNumber'> & {
  readonly arrival: string;
  readonly logIndex: string | null;
  readonly blockNumber: string | null;
};

/** The newest trades of some instruments, newest first by venue time then arrival, reverted ones left out. */
export async function readTrades(store: Store, instruments: readonly string[], limit: number): Promise<Trade[]> {
  const rows = await store.query<Row>(
    `SELECT id, provider, marketId, instrument, outcome, ${unixMs('t.ts')} AS ts, ${unixMs('t.receivedAt')} AS receivedAt,
       arrival, side, price, qty, usd, maker, taker, txHash, logIndex, tradeId, blockNumber, blockHash, status
     FROM trades AS t FINAL
     WHERE instrument IN {instruments:Array(String)} AND status != 'reverted'
     ORDER BY t.ts DESC, arrival DESC
     LIMIT {limit:UInt32}`,
    { instruments, limit },
  );
  return rows.map((row) => ({
    ...row,
    arrival: Number(row.arrival),
    logIndex: row.logIndex === null ? null : Number(row.logIndex),
    blockNumber: row.blockNumber === null ? null : Number(row.blockNumber),
  }));
}
