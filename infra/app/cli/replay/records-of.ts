import type { EventLog, LogRecord, TopicPartition } from '../../../log/log.ts';
import { readUntil } from '../../../log/read-until.ts';

/** Yields the records that a partition holds now, in offset order. Holds a few thousand in memory at a time. */
export async function* recordsOf(log: EventLog, at: TopicPartition): AsyncGenerator<LogRecord, void, void> {
  const last = await log.last(at);
  if (!last) return;
  const range = { from: (await log.bounds(at)).first, last: last.offset };
  for await (const records of readUntil(log, at, range)) yield* records;
}
