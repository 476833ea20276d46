import type { EventLog, LogRecord, TopicPartition } from '#infra/log/log';
import { partitionName } from '#infra/log/partition-name';

const POLL_RECORDS = 4_096;
const POLL_TIMEOUT_MS = 5_000;

/** Hands every record from `from` up to the newest that the partition holds now to `visit`, in order; false ends it. */
export async function readRange(
  log: EventLog,
  at: TopicPartition,
  from: number,
  visit: (record: LogRecord) => Promise<boolean> | boolean,
): Promise<void> {
  const last = await log.last(at);
  if (!last || last.offset < from) return;
  const reader = await log.reader([{ ...at, offset: from }]);
  try {
    for (let reached = -1; reached < last.offset; ) {
      const { records } = await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
      if (records.length === 0) throw new Error(`${partitionName(at)} ends before its last offset ${last.offset}`);
      for (const record of records) {
        reached = record.offset;
        if (!(await visit(record))) return;
      }
    }
  } finally {
    await reader.close();
  }
}
