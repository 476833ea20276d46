import { deadLetterTopic, stateTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import type { TopicPartition } from '../log/log.ts';
import type { Stage } from './stage.ts';

/** `state.<stage>.cuts`: the snapshots at UTC midnights, apart from the newest one, which every start reads. */
export function cutTopic(stage: string) {
  return stateTopic(`${stage}.cuts`);
}

/** What a stage writes of its own, and no other stage does: its outputs, its snapshots, its cuts. */
export function ownTopics(stage: Pick<Stage<unknown>, 'name' | 'outputs'>): Topic[] {
  return [...stage.outputs, stateTopic(stage.name) as Topic, cutTopic(stage.name) as Topic];
}

/** Where the records go that a stage cannot take: one topic for each input, shared with whoever reads it too. */
export function deadTopicsOf(stage: { readonly inputs: readonly { readonly topic: Topic }[] }): Topic[] {
  return stage.inputs.map(({ topic }) => deadLetterTopic(topic.name) as Topic);
}

/** Every partition of the topics, in their order. */
export function partitionsOf(topics: readonly Topic[]): { readonly topic: Topic; readonly at: TopicPartition }[] {
  return topics.flatMap((topic) =>
    Array.from({ length: topic.partitions }, (_, partition) => ({ topic, at: { topic: topic.name, partition } })),
  );
}
