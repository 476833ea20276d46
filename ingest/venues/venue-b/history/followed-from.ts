/** Reads the first block that the service followed. */
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import { readUntil } from '#infra/log/read-until';
import type { ChainPayload } from '#schemas/domain/recording';
import { rawTopic } from '#schemas/topics/raw';

/**
 * Number of the first block whose header is in the raw topic; null while there is none. If retention removed older records,
 * earlier blocks may have been followed too; the normaliser knows those and emits nothing twice.
 */
export async function readFollowedFrom(log: EventLog, codec: Codec): Promise<number | null> {
  const topic = rawTopic('venue_b', 'rpc');
  const at = { topic: topic.name, partition: 0 };
  const newest = await log.last(at);
  if (!newest) return null;
  const { first } = await log.bounds(at);
  for await (const records of readUntil(log, at, { from: first, last: newest.offset, pollRecords: 64 })) {
    for (const { value } of records) {
      if (!value) continue;
      await codec.fetchSchema(value);
      const payload = JSON.parse(codec.decode(topic, value).payload.toString()) as ChainPayload;
      if ('block' in payload) return Number(payload.block.number);
    }
  }
  return null;
}
