import { type Infer, integer, record, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

const earlierOutcomes = record(
  'EarlierOutcomes',
  'How far the search for outcomes came that ended before the first start.',
  {
    outcome: integer('The outcome that was requested last; the search goes on below it.'),
    receivedAt: timestamp('Wall time of the change.'),
  },
);
export type EarlierOutcomesProgress = Infer<typeof earlierOutcomes>;

/** Written by the holder of the lease of ingest. It outlives the raw records, so that the search is made once. */
export const earlierOutcomesTopic = defineTopic({
  name: 'control.earlier-outcomes',
  description: 'How far the search for earlier outcomes of venue_a came.',
  key: 'always `cursor`',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: earlierOutcomes,
});
