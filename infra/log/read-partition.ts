import type { EventLog, LogRecord, TopicPartition } from './log.ts';
import { partitionName } from './partition-name.ts';

const POLL_RECORDS = 4_096;
/** Long enough for a broker that just started; an embedded log answers at once. */
const POLL_TIMEOUT_MS = 5_000;

/** Hands every record that a partition holds now to `visit`, in offset order. */
export async function readPartition(
  log: EventLog,
  at: TopicPartition,
  visit: (record: LogRecord) => void,
): Promise<void> {
  const last = await log.last(at);
  if (!last) return;
  const { first } = await log.bounds(at);
  const reader = await log.reader([{ ...at, offset: first }]);
  try {
    for (let reached = -1; reached < last.offset; ) {
      const { records } = await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
      if (records.length === 0) throw new Error(`${partitionName(at)} ends before its last offset ${last.offset}`);
      for (const record of records) {
        reached = record.offset;
        visit(record);
      }
    }
  } finally {
    await reader.close();
  }
}
