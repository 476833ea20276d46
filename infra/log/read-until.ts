import { type EventLog, LogError, type LogRecord, type TopicPartition } from './log.ts';
import { partitionName } from './partition-name.ts';

const POLL_RECORDS = 4_096;
const POLL_TIMEOUT_MS = 5_000;
/** A broker restarts in less. An embedded log answers at once. */
const SILENT_FOR_MS = 30_000;

export interface ReadRange {
  /** First offset to read. */
  readonly from: number;
  /** Offset of the last record to read, as `EventLog.last` told it. */
  readonly last: number;
  /** Records asked for at a time. */
  readonly atOnce?: number;
  /** How long nothing may come before the read fails, ms. */
  readonly silentForMs?: number;
}

/**
 * The records of a partition up to one that it held when the caller asked, batch by batch in offset order; the last
 * batch may hold some after it. Who wants no more leaves the loop. What was removed meanwhile is not waited for.
 * Throws `log_unavailable` when there is more and none of it comes for half a minute.
 */
export async function* readUntil(
  log: Pick<EventLog, 'reader' | 'last'>,
  at: TopicPartition,
  { from, last, atOnce = POLL_RECORDS, silentForMs = SILENT_FOR_MS }: ReadRange,
): AsyncGenerator<readonly LogRecord[], void, void> {
  if (from > last) return;
  const { topic, partition } = at;
  const reader = await log.reader([{ topic, partition, offset: from }]);
  try {
    let deadline = Date.now() + silentForMs;
    for (let next = from; next <= last; ) {
      const { records } = await reader.poll(atOnce, Math.min(POLL_TIMEOUT_MS, silentForMs));
      const newest = records.at(-1);
      if (newest) {
        yield records;
        next = newest.offset + 1;
        deadline = Date.now() + silentForMs;
        continue;
      }
      // A promise of the partition's writer came alone, the broker is away, or retention took what was left.
      if (Date.now() < deadline) continue;
      const kept = await log.last(at);
      if (!kept || kept.offset < next) return;
      throw new LogError('log_unavailable', `${partitionName(at)} gives nothing from ${next} up to its end ${last}`);
    }
  } finally {
    await reader.close();
  }
}
