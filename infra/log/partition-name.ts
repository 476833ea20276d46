/** Names of partitions, `topic/partition`, as keys of maps and in stored positions. */
import type { TopicPartition } from './log.ts';

const names = new Map<string, string[]>();

/**
 * Returns `topic/partition`. Every name is created once: it is needed several times for each record, and a newly built
 * string would be hashed again in each map that uses it as a key.
 */
export function partitionName({ topic, partition }: TopicPartition): string {
  let ofTopic = names.get(topic);
  if (!ofTopic) {
    ofTopic = [];
    names.set(topic, ofTopic);
  }
  let name = ofTopic[partition];
  if (name === undefined) {
    name = `${topic}/${partition}`;
    ofTopic[partition] = name;
  }
  return name;
}

/** The partition of a name. */
export function parsePartitionName(name: string): TopicPartition {
  const slash = name.lastIndexOf('/');
  return { topic: name.slice(0, slash), partition: Number(name.slice(slash + 1)) };
}
