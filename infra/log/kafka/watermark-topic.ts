/**
 * Watermarks are sent in a separate topic, in one record of a writer for all its partitions. A marker in each of a
 * hundred quiet partitions, twenty times a second, would be most of the log. A promise names the offset from which it
 * holds, so that it cannot overtake the records before it.
 */
import { z } from 'zod';
import type { TopicStorage } from '../log.ts';
import type { Promised } from './watermark-board.ts';

/** The name starts with an underscore, like Kafka's own: the topic belongs to this adapter and not to the catalog. */
export const watermarkTopic: TopicStorage = {
  name: '_parallax.watermarks',
  partitions: 1,
  retention: { kind: 'hours', hours: 1 },
};

export const WATERMARKS_AT = { topic: watermarkTopic.name, partition: 0 } as const;

/** Interval at which a writer repeats all its promises, for readers that started later. */
export const REPEAT_MS = 2_000;
/** How far back a follower starts, by the clock of the writer: several repeats, and tolerance for clock differences. */
export const FOLLOW_BACK_MS = 20_000;

const message = z.object({
  /** Topics that were cleared: promises about them are void. */
  cleared: z.array(z.string()).optional(),
  /** Topic, partition, watermark, offset from which it holds. */
  promises: z.array(z.tuple([z.string(), z.number(), z.number(), z.number()])),
});

export function encodeWatermarks(promises: readonly Promised[], cleared: readonly string[]): Buffer {
  const rows = promises.map(({ topic, partition, watermark, from }) => [topic, partition, watermark, from]);
  return Buffer.from(JSON.stringify({ ...(cleared.length > 0 ? { cleared } : {}), promises: rows }));
}

/** Throws for bytes that `encodeWatermarks` did not write. */
export function decodeWatermarks(bytes: Buffer): { promises: Promised[]; cleared: readonly string[] } {
  const { promises, cleared } = message.parse(JSON.parse(bytes.toString('utf8')));
  return {
    promises: promises.map(([topic, partition, watermark, from]) => ({ topic, partition, watermark, from })),
    cleared: cleared ?? [],
  };
}
