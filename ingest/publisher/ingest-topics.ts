/** The topics that ingest writes, and the lease under which it does. */
import { changeTopic, clockTopic, deadLetterTopic } from '#schemas/topics/control';
import { feedTopics, rawTopics } from '#schemas/topics/raw';
import type { Topic } from '#schemas/topics/topic';

/** What a world gives, and a recording of it again: what venues said, the life of the connections, and the clock. */
export const WORLD_TOPICS = [...rawTopics.values(), ...Object.values(feedTopics), clockTopic] as Topic[];

/** Every topic that ingest writes. */
export const INGEST_TOPICS: readonly Topic[] = [...WORLD_TOPICS, changeTopic as Topic];

/** Where what the log does not take for its size is told. */
export const DEAD_TOPICS = [...rawTopics.keys(), changeTopic.name].map((name) => deadLetterTopic(name));

/** The lease under which they are written: of all processes that take a world in, one writes. */
export const INGEST_LEASE = 'ingest';
