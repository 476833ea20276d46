import { type ArbitrageSignal, arbitrageSignalTopic } from '../topics/arbitrage-signals.ts';
import { countColumn, decimalColumn, nullableTimeColumn, timeColumn } from './columns.ts';
import { defineTable } from './table.ts';

/** One row per run of positive net edges, newest state of each. */
export const arbitrageSignalsTable = defineTable<ArbitrageSignal>({
  name: 'arbitrage_signals',
  description: 'Runs of positive net edges, newest state of each.',
  orderBy: ['universalId', 'beganAt', 'id'],
  fromTopics: [arbitrageSignalTopic],
  row: (signal, meta) => ({
    id: signal.id,
    universalId: signal.universalId,
    kind: signal.kind,
    firstProvider: signal.firstProvider,
    firstMarketId: signal.firstMarketId,
    secondProvider: signal.secondProvider,
    secondMarketId: signal.secondMarketId,
    receivedAt: timeColumn(signal.receivedAt),
    beganAt: timeColumn(signal.beganAt),
    peakAt: timeColumn(signal.peakAt),
    peakNetEdge: decimalColumn(signal.peakNetEdge),
    decayedAt: nullableTimeColumn(signal.decayedAt),
    endedAt: nullableTimeColumn(signal.endedAt),
    version: countColumn(meta.seq),
  }),
});
