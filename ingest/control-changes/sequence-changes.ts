/**
 * Copies every command of `control.commands`, in order, to `control.changes`, through the publisher and thus with event
 * time. Only the holder of ingest's lease runs it. It continues after the last command in `control.changes`.
 */

import type { Running } from '#infra/runtime/context';
import { pause } from '#infra/runtime/pause';
import { type FollowerContext, TopicFollower } from '#infra/stages/topic-follower';
import { commandTopic } from '#schemas/topics/control';
import type { Publisher } from '../publisher/publisher.ts';

const AT = { topic: commandTopic.name, partition: 0 };
/** How often to check if playback has passed the records that the log already holds. */
const CATCH_UP_INTERVAL_MS = 20;

export interface SequenceOptions extends FollowerContext {
  readonly publisher: Publisher;
}

/** Creates the topic of commands if it is missing, and runs until it is closed. Close it before the publisher. */
export async function sequenceChanges(options: SequenceOptions): Promise<Running> {
  const { log, codec, publisher } = options;
  await log.createTopics([commandTopic]);
  await codec.prepare([commandTopic]);
  const { first } = await log.bounds(AT);
  const follower = new TopicFollower(options, {
    topic: commandTopic,
    part: 'control changes',
    from: Math.max(first, (publisher.newestChange?.commandOffset ?? -1) + 1),
    handle: async ({ id, wallTime, type, body }, { offset }, signal) => {
      while (!publisher.canPublishChanges) if (!(await pause(CATCH_UP_INTERVAL_MS, signal))) return;
      if (publisher.paused) await publisher.whenReady(signal);
      publisher.publishChange({ id, wallTime, type, body, commandOffset: offset });
    },
  });
  await follower.start();
  return follower;
}
