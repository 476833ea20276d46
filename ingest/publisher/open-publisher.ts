import { changeTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import { DEAD_LETTER_TOPICS, INGEST_TOPICS, RECORDED_TOPICS } from './ingest-topics.ts';
import { LogPublisher } from './log-publisher.ts';
import { PartitionSequences } from './partition-sequences.ts';
import type { Publisher, PublisherOptions } from './publisher.ts';

/** Creates the topics, reads the newest record of each partition and opens the publisher. Needs `INGEST_LEASE`. */
export async function openPublisher(options: PublisherOptions): Promise<Publisher> {
  const topics = [...INGEST_TOPICS, ...DEAD_LETTER_TOPICS] as Topic[];
  await options.log.createTopics(topics);
  await options.codec.prepare(topics);
  const numbering = options.time === 'live' ? 'continue' : 'repeat';
  const venueSequences = await PartitionSequences.open(options.log, RECORDED_TOPICS, numbering);
  // Playback does not repeat changes, so their numbers always continue.
  const changeSequences = await PartitionSequences.open(options.log, [changeTopic as Topic], 'continue');
  const lastChange = changeSequences.of(changeTopic.name, 0).lastStored?.value ?? null;
  if (lastChange) await options.codec.fetchSchema(lastChange);
  const newestChange = lastChange && options.codec.decode(changeTopic, lastChange);
  return new LogPublisher({ ...options, venueSequences, changeSequences, newestChange });
}
