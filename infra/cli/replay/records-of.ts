import type { EventLog, LogRecord, TopicPartition } from '../../log/log.ts';
import { readUntil } from '../../log/read-until.ts';

/** The records that a partition holds now, one by one in offset order, a few thousand in memory at a time. */
export async function* recordsOf(log: EventLog, at: TopicPartition): AsyncGenerator<LogRecord, void, void> {
  const last = await log.last(at);
  if (!last) return;
  const range = { from: (await log.bounds(at)).first, last: last.offset };
  for await (const records of readUntil(log, at, range)) yield* records;
}
