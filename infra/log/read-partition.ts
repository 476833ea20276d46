import type { EventLog, LogRecord, TopicPartition } from './log.ts';
import { readUntil } from './read-until.ts';

/**
 * Passes every record that a partition holds now to `visit`, in offset order, from an offset or from the first. Awaits
 * each call of `visit` and stops once it returns false. Rejects with `log_unavailable` if the log returns nothing for
 * half a minute.
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
