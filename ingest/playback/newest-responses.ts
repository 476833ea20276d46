/** Finds the newest recorded response to each request. */
import type { Running } from '#infra/runtime/context';
import { type FollowerContext, TopicFollower } from '#infra/stages/topic-follower';
import type { RawEnvelope } from '#schemas/topics/raw';
import type { Topic } from '#schemas/topics/topic';

/** Requests whose newest response is known; those answered longest ago are dropped first. */
const REQUESTS_MAX = 100_000;

export interface NewestResponses extends Running {
  /** Offset of the newest response; undefined without one. */
  offsetOf(key: string): number | undefined;
  /** Reads the response at an offset; null if it is not stored any more. */
  read(offset: number): Promise<RawEnvelope | null>;
}

/**
 * Follows a raw topic of responses with one partition.
 * @param keyOf identifies equal requests; null for what is no request.
 */
export async function openNewestResponses(
  context: FollowerContext,
  topic: Topic<RawEnvelope>,
  keyOf: (request: string) => string | null,
): Promise<NewestResponses> {
  const { log, codec } = context;
  const offsets = new Map<string, number>();
  const follower = new TopicFollower(context, {
    topic,
    part: 'recorded reads',
    from: 0,
    handle: ({ request }, { offset }) => {
      const key = keyOf(request ?? '');
      if (key === null) return;
      offsets.delete(key);
      offsets.set(key, offset);
      const [oldest] = offsets.keys();
      if (offsets.size > REQUESTS_MAX) offsets.delete(oldest!);
    },
  });
  await codec.prepare([topic]);
  await follower.start();
  return {
    offsetOf: (key) => offsets.get(key),
    async read(offset) {
      const record = await log.recordFrom({ topic: topic.name, partition: 0, offset });
      return record?.value && record.offset === offset ? codec.decode(topic, record.value) : null;
    },
    close: () => follower.close(),
  };
}
