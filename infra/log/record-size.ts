/** How large a record may be: the same on either log, so that what one took can be played into the other. */
import { type AppendRecord, LogError } from './log.ts';

/** What framing, numbers and times of one record take at most, beside key and value. */
const OVERHEAD_BYTES = 80;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const UTF8_PER_UNIT = 3;

/** A record beyond this is refused with `log_too_large`. Snapshots and books stay far below it. */
export const RECORD_BYTES_MAX = 8 * 1024 * 1024;
/** Room that a value leaves in its record for a key and for what an envelope adds to a payload. */
const ENVELOPE_BYTES = 256 * 1024;
/** The largest payload that surely fits once it is wrapped: what comes from outside is held to this. */
export const PAYLOAD_BYTES_MAX = RECORD_BYTES_MAX - ENVELOPE_BYTES;

/** Bytes that a record takes on its way, at most. */
export function bytesOf({ key, value }: Pick<AppendRecord, 'key' | 'value'>): number {
  return OVERHEAD_BYTES + key.length * UTF8_PER_UNIT + (value?.length ?? 0);
}

/** Whether the log would refuse the record for its size. */
export function isTooLarge(record: Pick<AppendRecord, 'key' | 'value'>): boolean {
  return bytesOf(record) > RECORD_BYTES_MAX;
}

/** Throws `log_too_large` when one of the records is. */
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
