/** The topics that ingest writes, and the lease under which it does. */
import { changeTopic, clockTopic, deadLetterTopic } from '#schemas/topics/control';
import { feedTopics, rawTopics } from '#schemas/topics/raw';
import type { Topic } from '#schemas/topics/topic';

/** The topics whose records playback repeats: raw records, feed events and the clock. */
export const RECORDED_TOPICS = [...rawTopics.values(), ...Object.values(feedTopics), clockTopic] as Topic[];

/** Every topic that ingest writes. */
export const INGEST_TOPICS: readonly Topic[] = [...RECORDED_TOPICS, changeTopic as Topic];

/** Dead-letter topics for records that are too large for the log. */
export const DEAD_LETTER_TOPICS = [...rawTopics.keys(), changeTopic.name].map((name) => deadLetterTopic(name));

/** The lease under which ingest writes: one process at a time holds it. */
export const INGEST_LEASE = 'ingest';
