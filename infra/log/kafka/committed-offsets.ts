import type { TopicPartition } from '../log.ts';
import { partitionName } from '../partition-name.ts';
import { toLogError } from './errors.ts';
import type { KafkaClient } from './kafka-client.ts';

/** Asks the group's coordinator for the committed offsets, in the order of the partitions; null where there is none. */
export async function committedOffsets(
  client: KafkaClient,
  groupId: string,
  partitions: readonly TopicPartition[],
): Promise<(number | null)[]> {
  const admin = client.kafka.admin();
  try {
    await admin.connect();
    const topics = [...new Set(partitions.map(({ topic }) => topic))];
    const offsets = new Map<string, number>();
    for (const ofTopic of await admin.fetchOffsets({ groupId, topics }))
      for (const { partition, offset } of ofTopic.partitions)
        offsets.set(partitionName({ topic: ofTopic.topic, partition }), Number(offset));
    return partitions.map((at) => {
      const offset = offsets.get(partitionName(at)) ?? -1;
      return offset < 0 ? null : offset;
    });
  } catch (error) {
    throw toLogError(error, `reading the offsets of group ${groupId}`);
  } finally {
    await admin.disconnect();
  }
}
