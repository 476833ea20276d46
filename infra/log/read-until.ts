import { type EventLog, LogError, type LogRecord, type TopicPartition } from './log.ts';
import { partitionName } from './partition-name.ts';

const POLL_RECORDS = 4_096;
const POLL_TIMEOUT_MS = 5_000;
/** A broker restarts in less time. An embedded log answers immediately. */
const MAX_SILENCE_MS = 30_000;

export interface ReadRange {
  /** First offset to read. */
  readonly from: number;
  /** Offset of the last record to read, as returned by `EventLog.last`. */
  readonly last: number;
  /** Records requested at a time. */
  readonly pollRecords?: number;
  /** How long the log may return nothing before the read fails, ms. */
  readonly maxSilenceMs?: number;
}

/**
 * Yields the records of a partition up to a given offset, batch by batch in offset order; the last batch may contain
 * later ones. To stop early, leave the loop. Records that were removed meanwhile are not awaited. Throws
 * `log_unavailable` if there is more and nothing arrives for half a minute.
 */
export async function* readUntil(
  log: Pick<EventLog, 'reader' | 'last'>,
  at: TopicPartition,
  { from, last, pollRecords = POLL_RECORDS, maxSilenceMs = MAX_SILENCE_MS }: ReadRange,
): AsyncGenerator<readonly LogRecord[], void, void> {
  if (from > last) return;
  const { topic, partition } = at;
  const reader = await log.reader([{ topic, partition, offset: from }]);
  try {
    let deadline = Date.now() + maxSilenceMs;
    for (let next = from; next <= last; ) {
      const { records } = await reader.poll(pollRecords, Math.min(POLL_TIMEOUT_MS, maxSilenceMs));
      const newest = records.at(-1);
      if (newest) {
        yield records;
        next = newest.offset + 1;
        deadline = Date.now() + maxSilenceMs;
        continue;
      }
      // Only a watermark arrived, the broker is unavailable, or retention removed the rest.
      if (Date.now() < deadline) continue;
      const newestStored = await log.last(at);
      if (!newestStored || newestStored.offset < next) return;
      throw new LogError(
        'log_unavailable',
        `${partitionName(at)} returned nothing from offset ${next} up to its end ${last}`,
      );
    }
  } finally {
    await reader.close();
  }
}
