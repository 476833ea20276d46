/** Fills from the files of a self-hosted node of venue_a, and where they are complete. */
import { type Infer, integer, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

const nodeFill = record('NodeFill', 'A fill of one user, as a node wrote it. Time, coin and tid identify a trade.', {
  user: text('Address of the user, lower case.'),
  coin: text('The coin, as on the wire.'),
  time: timestamp('Time of its block.'),
  tid: integer("The venue's id of the trade, the same for both of its users."),
  place: integer('Its place among the fills of that time, from 0, in the order of execution.'),
  fill: text('The fill, as JSON text.'),
  receivedAt: timestamp('Receive time of its line.'),
});
export type NodeFill = Infer<typeof nodeFill>;

export const nodeFillTopic = defineTopic({
  name: 'derived.node-fills.venue_a',
  description: 'Fills of all users of venue_a, from the files of a self-hosted node, each once.',
  key: 'user',
  partitions: 4,
  retention: { kind: 'hours', hours: 48 },
  schema: nodeFill,
});

const coverage = record('NodeFillCoverage', 'Until when the fills of a self-hosted node are known without a gap.', {
  since: timestamp('Time of the first block after the newest gap.'),
  until: timestamp('Time of the newest block.'),
  receivedAt: timestamp('Receive time of the line of the newest block. Fills received until then are complete.'),
});
export type NodeFillCoverage = Infer<typeof coverage>;

/** The key of the only record. */
export const NODE_FILL_COVERAGE_KEY = 'venue_a';

/** Published at most about once a second of venue time, and when a gap changes `since`. */
export const nodeFillCoverageTopic = defineTopic({
  name: 'derived.node-fill-coverage.venue_a',
  description: 'Until when the fills of a self-hosted node of venue_a are known without a gap.',
  key: 'venue',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: coverage,
});
