import type { AppendRecord } from '../log.ts';

/** Topic to which `writer-process.fixture.ts` writes. */
export const WRITER_TOPIC = 'written';
export const BATCH_RECORDS = 20;

/** Makes the record of a number: odd ones are in partition 1, and each value contains its number. */
export function recordNumber(seq: number): AppendRecord {
  const value = Buffer.from(`record ${seq} `.repeat(1 + (seq % 40)));
  return { topic: WRITER_TOPIC, partition: seq % 2, key: `key-${seq}`, value, receivedAt: seq, seq };
}

/** Like `recordNumber`, with several KB. */
export function largeRecordNumber(seq: number): AppendRecord {
  const record = recordNumber(seq);
  return { ...record, value: Buffer.alloc(3_000 + (seq % 5_000), record.value!) };
}
