import type { Topic } from '#schemas/topics/topic';
import type { EventLog, LogRecord, TopicPartition } from '../log/log.ts';
import { readUntil } from '../log/read-until.ts';

/** The oldest record that a partition holds, or null. Rejects with `log_unavailable` when the log gives nothing for long. */
export async function firstRecord(log: EventLog, at: TopicPartition): Promise<LogRecord | null> {
  const last = await log.last(at);
  if (!last) return null;
  const { first } = await log.bounds(at);
  for await (const [record] of readUntil(log, at, { from: first, last: last.offset, atOnce: 1 })) return record!;
  return null;
}

/**
 * How many records were removed from the beginning of a partition by retention. A compacted one has lost none that
 * counts. Numbers tell it, since offsets need not start over where a topic was emptied for a rebuild.
 */
export async function removedBefore(log: EventLog, { retention }: Topic, at: TopicPartition): Promise<number> {
  if (retention.kind === 'compacted') return 0;
  const { first } = await log.bounds(at);
  if (first === 0) return 0;
  const record = await firstRecord(log, at);
  // Raw topics are never emptied, so whatever was there was removed by retention.
  if (!record) return retention.kind === 'raw' ? first : 0;
  return record.seq > 0 ? record.seq - 1 : first;
}
