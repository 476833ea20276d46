import { backfilledTradeTopic, type Trade, tradeTopics } from '../topics/normalised.ts';
import { countColumn, decimalColumn, nullableCountColumn, nullableDecimalColumn, timeColumn } from './columns.ts';
import { defineTable } from './table.ts';

/**
 * One row per observed trade. A trade is published again under its id when its status or market changes, with the same
 * `ts` and `arrival`; one that a reorganization moves to another block is first published as `reverted` with its old ones.
 */
export const tradesTable = defineTable<Trade>({
  name: 'trades',
  description: 'Every observed trade, newest state of each.',
  orderBy: ['provider', 'instrument', 'ts', 'arrival', 'id'],
  fromTopics: [...Object.values(tradeTopics), backfilledTradeTopic],
  row: (trade, meta) => ({
    id: trade.id,
    provider: trade.provider,
    marketId: trade.marketId,
    instrument: trade.instrument,
    outcome: trade.outcome,
    ts: timeColumn(trade.ts),
    receivedAt: timeColumn(trade.receivedAt),
    arrival: countColumn(trade.arrival),
    side: trade.side,
    price: decimalColumn(trade.price),
    qty: decimalColumn(trade.qty),
    usd: nullableDecimalColumn(trade.usd),
    maker: trade.maker,
    taker: trade.taker,
    txHash: trade.txHash,
    logIndex: nullableCountColumn(trade.logIndex),
    tradeId: trade.tradeId,
    blockNumber: nullableCountColumn(trade.blockNumber),
    blockHash: trade.blockHash,
    status: trade.status,
    version: countColumn(meta.seq),
  }),
});
