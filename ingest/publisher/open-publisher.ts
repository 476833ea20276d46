import { changeTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import { DEAD_TOPICS, INGEST_TOPICS, WORLD_TOPICS } from './ingest-topics.ts';
import { LogPublisher } from './log-publisher.ts';
import { PartitionNumbers } from './numbering.ts';
import type { Publisher, PublisherOptions } from './publisher.ts';

/** Prepares the topics, reads where each partition stands, and opens the way in; under `INGEST_LEASE`. */
export async function openPublisher(options: PublisherOptions): Promise<Publisher> {
  const topics = [...INGEST_TOPICS, ...DEAD_TOPICS] as Topic[];
  await options.log.createTopics(topics);
  await options.codec.prepare(topics);
  const numbering = options.time === 'live' ? 'continue' : 'repeat';
  const world = await PartitionNumbers.open(options.log, WORLD_TOPICS, numbering);
  // No recording holds them, so they always go on.
  const changes = await PartitionNumbers.open(options.log, [changeTopic as Topic], 'continue');
  const kept = changes.of(changeTopic.name, 0).kept?.value ?? null;
  if (kept) await options.codec.fetchSchema(kept);
  const newestChange = kept && options.codec.decode(changeTopic, kept);
  return new LogPublisher({ ...options, world, changes, newestChange });
}
