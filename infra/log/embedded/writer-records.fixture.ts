import type { AppendRecord } from '../log.ts';

/** What `writer-process.fixture.ts` writes to. */
export const WRITER_TOPIC = 'written';
export const BATCH_RECORDS = 20;

/** The record of that number: odd ones go to partition 1, and each says what it is. */
export function recordNumber(seq: number): AppendRecord {
  const value = Buffer.from(`record ${seq} `.repeat(1 + (seq % 40)));
  return { topic: WRITER_TOPIC, partition: seq % 2, key: `key-${seq}`, value, receivedAt: seq, seq };
}

/** As `recordNumber`, of several KB. */
export function largeRecordNumber(seq: number): AppendRecord {
  const record = recordNumber(seq);
  return { ...record, value: Buffer.alloc(3_000 + (seq % 5_000), record.value!) };
}
