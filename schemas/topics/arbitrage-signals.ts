import { decimal, type Infer, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

const arbitrageSignal = record(
  'ArbitrageSignal',
  'A run of evaluations of one kind and pair of markets with a positive net edge (contract, arb-decay).',
  {
    id: text('Hash of event, kind, both markets and start.'),
    universalId: text('The event.'),
    kind: oneOf(['cross_provider', 'negation_pair'], 'Which of the two forms.'),
    firstProvider: text('Provider of the leg bought, or of the YES leg.'),
    firstMarketId: text('Market of the leg bought, or of the YES leg.'),
    secondProvider: text('Provider of the leg sold, or of the NO leg.'),
    secondMarketId: text('Market of the leg sold, or of the NO leg.'),
    receivedAt: timestamp('Event time of the input that changed it.'),
    beganAt: timestamp('First evaluation above zero.'),
    peakAt: timestamp('When the net edge was largest; the first of equals.'),
    peakNetEdge: decimal('The largest net edge.'),
    decayedAt: nullable(
      timestamp('First evaluation at half the peak or less, the end included; null while there is none.'),
    ),
    endedAt: nullable(timestamp('First evaluation at zero or below, or without a record; null while it lasts.')),
  },
);
export type ArbitrageSignal = Infer<typeof arbitrageSignal>;
/** A signal is published when it begins, when it has decayed and when it ends, each time under the same id. */
export const arbitrageSignalTopic = defineTopic({
  name: 'derived.arbitrage-signals',
  description: 'How long arbitrage lasts: each run of positive net edges.',
  key: 'universalId',
  partitions: 1,
  retention: { kind: 'derived' },
  schema: arbitrageSignal,
});
