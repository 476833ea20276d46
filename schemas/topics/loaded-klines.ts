import { type Infer, integer, list, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

const loadedSpan = record('LoadedSpan', 'A span of time of which the klines are in the log, or were.', {
  from: timestamp('Start.'),
  until: timestamp('End, exclusive.'),
});

const loadedKlines = record('LoadedKlines', 'Which klines of a coin were loaded from the external exchange.', {
  coin: text('The coin.'),
  intervalMs: integer('Length of the klines.'),
  onboardedAt: timestamp('Since when the exchange lists the coin.'),
  spans: list(loadedSpan, 'What was loaded, oldest first, without overlaps.'),
  receivedAt: timestamp('Wall time of the change.'),
});
export type LoadedKlines = Infer<typeof loadedKlines>;

/** Written by the holder of the lease of ingest. It outlives the raw records, so that nothing is requested again. */
export const loadedKlinesTopic = defineTopic({
  name: 'control.loaded-klines',
  description: 'Which klines were loaded from the external exchange.',
  key: '<coin> <length in ms>',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: loadedKlines,
});
