import type { TopicPartition } from './log.ts';

const names = new Map<string, string[]>();

/**
 * `topic/partition`. Every name is made once: it is asked for several times for each record, and a text that was put
 * together anew would be hashed anew in each map that it is looked up in.
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
