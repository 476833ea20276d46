import { deadLetterTopic, stateTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import type { TopicPartition } from '../log/log.ts';
import type { Stage } from './stage.ts';

/**
 * Returns `state.<stage>.daily`, the topic of daily checkpoints. It is separate from the newest snapshot, which every
 * start reads.
 */
export function dailyCheckpointTopic(stage: string) {
  return stateTopic(`${stage}.daily`);
}

/** Returns the topics that only this stage writes: its outputs, its snapshots, its daily checkpoints. */
export function ownTopics(stage: Pick<Stage<unknown>, 'name' | 'outputs'>): Topic[] {
  return [...stage.outputs, stateTopic(stage.name) as Topic, dailyCheckpointTopic(stage.name) as Topic];
}

/**
 * Returns the topics of records that a stage could not process: one for each input, shared by every stage that reads
 * it.
 */
export function deadTopicsOf(stage: { readonly inputs: readonly { readonly topic: Topic }[] }): Topic[] {
  return stage.inputs.map(({ topic }) => deadLetterTopic(topic.name) as Topic);
}

/** Returns every partition of the topics, in their order. */
export function partitionsOf(topics: readonly Topic[]): { readonly topic: Topic; readonly at: TopicPartition }[] {
  return topics.flatMap((topic) =>
    Array.from({ length: topic.partitions }, (_, partition) => ({ topic, at: { topic: topic.name, partition } })),
  );
}
