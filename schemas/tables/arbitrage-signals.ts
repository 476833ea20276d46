import { type ArbitrageSignal, arbitrageSignalTopic } from '../topics/arbitrage-signals.ts';
import { defineTable } from './table.ts';

/** One row per run of positive net edges, newest state of each. */
export const arbitrageSignalsTable = defineTable<ArbitrageSignal>({
  name: 'arbitrage_signals',
  description: 'Runs of positive net edges, newest state of each.',
  holds: 'market',
  orderBy: ['universalId', 'beganAt', 'id'],
  shardBy: ['universalId'],
  monthOf: 'beganAt',
  fromTopics: [arbitrageSignalTopic],
  lowCardinality: ['firstProvider', 'secondProvider'],
  settings: 'index_granularity = 1024',
});
