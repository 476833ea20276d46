import { backfilledTradeTopic, type Trade, tradeTopics } from '../topics/normalised.ts';
import { defineTable } from './table.ts';

/** A trade as the table stores it. */
export type StoredTrade = Omit<Trade, 'orders'>;

/**
 * One row per observed trade. A trade is published again under its id when its status or market changes, with the same
 * `ts` and `arrival`; one that a reorganization moves to another block is first published as `reverted` with its old ones.
 */
export const tradesTable = defineTable<Trade>({
  name: 'trades',
  description: 'Every observed trade, newest state of each.',
  holds: 'market',
  orderBy: ['provider', 'instrument', 'ts', 'arrival', 'id'],
  shardBy: ['provider', 'instrument'],
  monthOf: 'ts',
  fromTopics: [...Object.values(tradeTopics), backfilledTradeTopic],
  // Ledgers read the orders from the topic; platform volume needs what is added below.
  omit: ['orders'],
  lowCardinality: ['provider', 'outcome'],
  added: {
    makerBuilder: {
      type: 'LowCardinality(Nullable(String))',
      comment: "Builder of the maker's order (chain only).",
      value: ({ orders }) => orders?.makerBuilder ?? null,
    },
    makerPrice: {
      type: 'Nullable(Decimal(38, 18))',
      comment: "Price of the maker's token (chain only).",
      value: ({ orders }) => orders?.makerPrice ?? null,
    },
    takerBuilder: {
      type: 'LowCardinality(Nullable(String))',
      comment: "Builder of the taker's order (chain only).",
      value: ({ orders }) => orders?.takerBuilder ?? null,
    },
  },
  // Newest-first queries of an instrument use the sorting key, queries of a market the set index: the rows of a market are
  // close together, since they share their instruments. Fills of a wallet are scattered; one index covers both columns,
  // since the engine uses one index at a time and a wallet may be in either.
  indexes: [
    'INDEX byMarket marketId TYPE set(0) GRANULARITY 1',
    'INDEX byWallet (maker, taker) TYPE bloom_filter(0.001) GRANULARITY 1',
  ],
  // Small granules, because queries read tens of rows with many wide columns.
  settings: 'index_granularity = 1024',
});
