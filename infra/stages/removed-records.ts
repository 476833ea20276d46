import type { Topic } from '#schemas/topics/topic';
import type { EventLog, LogRecord, TopicPartition } from '../log/log.ts';
import { readUntil } from '../log/read-until.ts';

/**
 * Returns the oldest record of a partition, or null. Rejects with `log_unavailable` if the log returns nothing for half
 * a minute.
 */
export async function firstRecord(log: EventLog, at: TopicPartition): Promise<LogRecord | null> {
  const last = await log.last(at);
  if (!last) return null;
  const { first } = await log.bounds(at);
  for await (const [record] of readUntil(log, at, { from: first, last: last.offset, pollRecords: 1 })) return record!;
  return null;
}

/**
 * Counts the records that retention removed from the start of a partition; 0 for a compacted one. Derived from `seq`,
 * since offsets need not start over after a topic was emptied for a rebuild.
 */
export async function removedBefore(log: EventLog, { retention }: Topic, at: TopicPartition): Promise<number> {
  if (retention.kind === 'compacted') return 0;
  const { first } = await log.bounds(at);
  if (first === 0) return 0;
  const record = await firstRecord(log, at);
  // Raw topics are never emptied by hand, so retention removed whatever was there.
  if (!record) return retention.kind === 'raw' ? first : 0;
  return record.seq > 0 ? record.seq - 1 : first;
}
