/** Epochs of channel topics: `seq` counts within one epoch, and a rebuilt topic starts another. */
import { randomUUID } from 'node:crypto';
import { epochTopic } from '#schemas/topics/control';
import type { Codec } from '../codec/codec.ts';
import type { EventLog, LogRecord } from './log.ts';
import { readPartition } from './read-partition.ts';

const AT = { topic: epochTopic.name, partition: 0 };

/** Starts a new epoch of a topic and returns its id. */
export async function beginEpoch(log: EventLog, codec: Codec, topic: string): Promise<string> {
  const epoch = randomUUID().slice(0, 8);
  const receivedAt = Math.max(Date.now(), (await log.last(AT))?.receivedAt ?? 0);
  await log.append([
    { ...AT, key: topic, value: codec.encode(epochTopic, { receivedAt, topic, epoch }), receivedAt, seq: 0 },
  ]);
  return epoch;
}

/** Returns the current epoch of every topic that has one. The topic and its schema must have been prepared. */
export async function readEpochs(log: EventLog, codec: Codec): Promise<Map<string, string>> {
  const epochs = new Map<string, string>();
  const records: LogRecord[] = [];
  await readPartition(log, AT, (record) => void records.push(record));
  for (const { key, value } of records) {
    if (!value) continue;
    await codec.fetchSchema(value);
    epochs.set(key, codec.decode(epochTopic, value).epoch);
  }
  return epochs;
}

/** Starts an epoch for each of the topics that has none. */
export async function ensureEpochs(log: EventLog, codec: Codec, topics: readonly string[]): Promise<void> {
  const epochs = await readEpochs(log, codec);
  for (const topic of topics) if (!epochs.has(topic)) await beginEpoch(log, codec, topic);
}
