import type { AppendRecord, LogRecord, TopicPartition } from '../log.ts';

/** Makes a record with recognisable contents. */
export function recordOf(at: TopicPartition, seq: number, key = `key-${seq % 5}`): AppendRecord {
  const { topic, partition } = at;
  return { topic, partition, key, value: Buffer.from(`${partition}:${seq}`), receivedAt: 1_900_000_000_000 + seq, seq };
}

/** Returns only the fields that a writer appended, for comparison with what was read. */
export function asAppended({ topic, partition, key, value, receivedAt, seq }: LogRecord): AppendRecord {
  return { topic, partition, key, value, receivedAt, seq };
}
