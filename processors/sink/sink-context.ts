import type { RoleContext } from '#infra/context';
import { deadTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import { TABLE_TOPICS } from './table-topics.ts';

/** What the sink needs of its surroundings. */
export type SinkContext = Pick<RoleContext, 'log' | 'store' | 'codec' | 'logger' | 'metrics'>;

/** Rows of an insert. Larger ones are hardly faster and hold the event loop longer. */
export const BATCH_ROWS = 2_000;
/** Bytes of records after which a batch is written, however few they are. */
export const BATCH_BYTES_MAX = 8 * 1024 * 1024;

export const SINK_TOPIC_NAMES: readonly string[] = [...TABLE_TOPICS.keys()];

/** Makes the topics that the sink reads or writes and their schemas known. */
export async function prepareTopics({ log, codec }: SinkContext): Promise<void> {
  const topics = [...TABLE_TOPICS.values()].map(({ topic }) => topic);
  const all: Topic[] = [...topics, ...topics.map((topic) => deadTopic(topic.name) as Topic)];
  await log.createTopics(all);
  await codec.prepare(all);
}
