import { decimal, type Infer, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

const arbitrageSignal = record(
  'ArbitrageSignal',
  'A run of evaluations of one kind and pair of markets with a positive net edge (contract, arb-decay).',
  {
    id: text('Hash of event, kind, both markets and beginning.'),
    universalId: text('The event.'),
    kind: oneOf(['cross_provider', 'negation_pair'], 'Which of the two forms.'),
    firstProvider: text('Of the leg bought, or the YES leg.'),
    firstMarketId: text('Of the leg bought, or the YES leg.'),
    secondProvider: text('Of the leg sold, or the NO leg.'),
    secondMarketId: text('Of the leg sold, or the NO leg.'),
    receivedAt: timestamp('Event time of what changed it.'),
    beganAt: timestamp('First evaluation above zero.'),
    peakAt: timestamp('When the net edge was largest; the first of equals.'),
    peakNetEdge: decimal('The largest net edge.'),
    decayedAt: nullable(
      timestamp('First evaluation at half the peak or less, the end included; null while there is none.'),
    ),
    endedAt: nullable(timestamp('First evaluation at zero or below, or without a record; null while it lives.')),
  },
);
export type ArbitrageSignal = Infer<typeof arbitrageSignal>;
/** Told under its id when it begins, when it has decayed and when it ends. */
export const arbitrageSignalTopic = defineTopic({
  name: 'derived.arbitrage-signals',
  description: 'How long arbitrage lives: each run of positive net edges.',
  key: 'universalId',
  partitions: 1,
  retention: { kind: 'derived' },
  schema: arbitrageSignal,
  table: 'arbitrage_signals',
});
