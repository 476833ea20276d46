import type { EventLog, LogRecord, TopicPartition } from './log.ts';
import { readUntil } from './read-until.ts';

/**
 * Hands every record that a partition holds now to `visit`, in offset order. Rejects with `log_unavailable` when the log
 * gives nothing for long.
 */
export async function readPartition(
  log: EventLog,
  at: TopicPartition,
  visit: (record: LogRecord) => void,
): Promise<void> {
  const last = await log.last(at);
  if (!last) return;
  const { first } = await log.bounds(at);
  for await (const records of readUntil(log, at, { from: first, last: last.offset })) records.forEach(visit);
}
