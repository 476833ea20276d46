/** Topic of the newest block of venue_b that is followed: fills, flows and volumes of venue_b are complete up to its time. */
import { type Infer, integer, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

const followedBlock = record('FollowedBlock', 'The newest block of which all logs have been processed.', {
  number: integer('Block number.'),
  hash: text('Block hash.'),
  ts: timestamp('Block time.'),
  receivedAt: timestamp('Event time of the input that caused it.'),
});
export type FollowedBlock = Infer<typeof followedBlock>;

/** The only key of the topic below. */
export const FOLLOWED_BLOCK_KEY = 'venue_b';
/** After a reorganization it is an earlier block, until the blocks of the other branch are processed. */
export const followedBlockTopic = defineTopic({
  name: 'derived.followed-blocks.venue_b',
  description: 'The newest block of venue_b of which all logs have been processed.',
  key: 'venue',
  partitions: 1,
  // A starting view needs the blocks that the tables have not reached yet.
  retention: { kind: 'compacted', supersededHours: 1 },
  schema: followedBlock,
});
