import type { RoleContext } from '#infra/runtime/context';
import { deadLetterTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import { TABLE_TOPICS } from './table-topics.ts';

/** The services that the sink uses. */
export type SinkContext = Pick<RoleContext, 'log' | 'store' | 'codec' | 'logger' | 'metrics'>;

/** Rows per insert. Larger inserts are hardly faster. */
export const BATCH_ROWS = 2_000;
/** A batch with this many bytes of records is written, however few records it has. */
export const BATCH_BYTES_MAX = 8 * 1024 * 1024;

export const SINK_TOPIC_NAMES: readonly string[] = [...TABLE_TOPICS.keys()];

/** Creates the topics that the sink reads or writes, and registers their schemas. */
export async function prepareTopics({ log, codec }: SinkContext): Promise<void> {
  const topics = [...TABLE_TOPICS.values()].map(({ topic }) => topic);
  const all: Topic[] = [...topics, ...topics.map((topic) => deadLetterTopic(topic.name) as Topic)];
  await log.createTopics(all);
  await codec.prepare(all);
}
