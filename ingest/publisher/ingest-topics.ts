/** The topics that ingest writes, and the lease under which it does. */
import { changeTopic, clockTopic, deadLetterTopic } from '#schemas/topics/control';
import { feedTopics, rawTopics } from '#schemas/topics/raw';
import type { Topic } from '#schemas/topics/topic';
import { venueSpendingTopic } from '#schemas/topics/venue-spending';

/** The topics whose records playback repeats: raw records, feed events and the clock. */
export const RECORDED_TOPICS = [...rawTopics.values(), ...Object.values(feedTopics), clockTopic] as Topic[];

/** Every topic whose records the publisher numbers. */
export const INGEST_TOPICS: readonly Topic[] = [...RECORDED_TOPICS, changeTopic as Topic];

/** Every topic that only the holder of the lease may write: a process that lost it may spend nothing at a venue. */
export const LEASED_TOPICS: readonly Topic[] = [...INGEST_TOPICS, venueSpendingTopic as Topic];

/** Dead-letter topics for records that are too large for the log. */
export const DEAD_LETTER_TOPICS = [...rawTopics.keys(), changeTopic.name].map((name) => deadLetterTopic(name));

/** The lease under which ingest writes: one process at a time holds it. */
export const INGEST_LEASE = 'ingest';
