/**
 * Limits the size of a record: the limit is the same for both logs, so that a recording of one can be played into the
 * other.
 */
import { type AppendRecord, LogError } from './log.ts';

/** Upper bound for framing, numbers and times of one record, besides key and value. */
const OVERHEAD_BYTES = 80;
/** UTF-8 uses at most three bytes for a UTF-16 unit. */
const UTF8_PER_UNIT = 3;

/** Larger records are refused with `log_too_large`. Snapshots and books are far below it. */
export const RECORD_BYTES_MAX = 8 * 1024 * 1024;
/** Part of a record reserved for its key and for what an envelope adds to a payload. */
const ENVELOPE_BYTES = 256 * 1024;
/** The largest payload that surely fits once it is wrapped; the limit for data from outside. */
export const PAYLOAD_BYTES_MAX = RECORD_BYTES_MAX - ENVELOPE_BYTES;

/** Upper bound for the bytes of a record in transit. */
export function bytesOf({ key, value }: Pick<AppendRecord, 'key' | 'value'>): number {
  return OVERHEAD_BYTES + key.length * UTF8_PER_UNIT + (value?.length ?? 0);
}

/** True if the log would refuse the record for its size. */
export function isTooLarge(record: Pick<AppendRecord, 'key' | 'value'>): boolean {
  return bytesOf(record) > RECORD_BYTES_MAX;
}

/** Throws `log_too_large` if one of the records is too large. */
export function checkSizes(records: readonly AppendRecord[]): void {
  for (const record of records) {
    if (!isTooLarge(record)) continue;
    const { topic, partition } = record;
    throw new LogError(
      'log_too_large',
      `a record for ${topic}/${partition} has ${bytesOf(record)} bytes, more than ${RECORD_BYTES_MAX}`,
    );
  }
}
