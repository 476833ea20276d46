/**
 * How watermarks travel: in a topic of their own, one record of a writer for all its partitions, since a marker of its
 * own in each of a hundred quiet partitions, twenty times a second, would be most of what the log holds. A promise
 * names the offset from which on it holds, so that it cannot overtake the records it stands behind.
 */
import { z } from 'zod';
import type { TopicStorage } from '../log.ts';
import type { Promised } from './watermark-board.ts';

/** The name starts with an underscore, as Kafka's own: it belongs to this adapter and not to the catalog. */
export const watermarkTopic: TopicStorage = {
  name: '_parallax.watermarks',
  partitions: 1,
  retention: { kind: 'hours', hours: 1 },
};

export const WATERMARKS_AT = { topic: watermarkTopic.name, partition: 0 } as const;

/** A writer repeats all its promises this often, for those who began to read later. */
export const REPEAT_MS = 2_000;
/** A follower begins this far back, by the clock of whoever wrote: several repeats, and room for clocks apart. */
export const FOLLOW_BACK_MS = 20_000;

const message = z.object({
  /** Topics that were cleared: promises about them are void. */
  cleared: z.array(z.string()).optional(),
  /** Topic, partition, watermark, offset from which on it holds. */
  promises: z.array(z.tuple([z.string(), z.number(), z.number(), z.number()])),
});

export function encodeWatermarks(promises: readonly Promised[], cleared: readonly string[]): Buffer {
  const rows = promises.map(({ topic, partition, watermark, from }) => [topic, partition, watermark, from]);
  return Buffer.from(JSON.stringify({ ...(cleared.length > 0 ? { cleared } : {}), promises: rows }));
}

/** Throws on anything else than what `encodeWatermarks` makes. */
export function decodeWatermarks(bytes: Buffer): { promises: Promised[]; cleared: readonly string[] } {
  const { promises, cleared } = message.parse(JSON.parse(bytes.toString('utf8')));
  return {
    promises: promises.map(([topic, partition, watermark, from]) => ({ topic, partition, watermark, from })),
    cleared: cleared ?? [],
  };
}
