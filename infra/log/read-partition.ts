import type { EventLog, LogRecord, TopicPartition } from './log.ts';
import { readUntil } from './read-until.ts';

/**
 * Hands every record that a partition holds now to `visit`, in offset order, from an offset on or from the first; one
 * after the other where `visit` is asynchronous, and no more once it gives false. Rejects with `log_unavailable` when the
 * log gives nothing for long.
 */
export async function readPartition(
  log: Pick<EventLog, 'reader' | 'last' | 'bounds'>,
  at: TopicPartition,
  visit: (record: LogRecord) => unknown,
  from?: number,
): Promise<void> {
  const last = await log.last(at);
  if (!last) return;
  const range = { from: from ?? (await log.bounds(at)).first, last: last.offset };
  for await (const records of readUntil(log, at, range))
    for (const record of records) if ((await visit(record)) === false) return;
}
