/** Reads the raw records of a log in merge order. */
import { rawTopics } from '#schemas/topics/raw';
import type { EventLog, LogRecord } from '../../log/log.ts';
import { readPartition } from '../../log/read-partition.ts';

/** Returns every raw record, sorted by (`receivedAt`, topic, partition, offset). */
export async function readRawRecords(log: EventLog): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (const { name, partitions } of rawTopics.values()) {
    for (let partition = 0; partition < partitions; partition += 1) {
      await readPartition(log, { topic: name, partition }, (record) => void records.push(record));
    }
  }
  const byTopic = (a: LogRecord, b: LogRecord) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0);
  return records.sort(
    (a, b) => a.receivedAt - b.receivedAt || byTopic(a, b) || a.partition - b.partition || a.offset - b.offset,
  );
}
