/**
 * How a record stands in LMDB. Its key is the offset, 8 bytes big endian, so that LMDB's byte order is the log's order.
 * The value, numbers big endian:
 *
 * | bytes | what |
 * |---|---|
 * | 8 | `receivedAt`, float64 (whole milliseconds) |
 * | 8 | `appendedAt`, likewise |
 * | 8 | `seq`, likewise |
 * | 4 | bytes of the key, unsigned; the highest bit marks a tombstone |
 * | n | the key, UTF-8 |
 * | … | the value, up to the end |
 */
import type { AppendRecord, LogRecord } from '../log.ts';

const HEADER_BYTES = 28;
const TOMBSTONE = 0x8000_0000;
const WORD = 2 ** 32;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const UTF8_PER_UNIT = 3;
const FIRST_SCRATCH_BYTES = 64 * 1024;
/** A larger scratch is given back after the record that needed it. */
const SCRATCH_MAX_BYTES = 1024 * 1024;

/** Offsets as LMDB keys. A plain number in and out: no buffer is made for a key. */
export const OFFSET_KEYS = {
  writeKey(offset: number, target: Buffer, start: number): number {
    target.writeUInt32BE(Math.floor(offset / WORD), start);
    return target.writeUInt32BE(offset % WORD, start + 4);
  },
  readKey(source: Buffer, start: number): number {
    return source.readUInt32BE(start) * WORD + source.readUInt32BE(start + 4);
  },
};

/** Upper bound of what a record takes in the log, for deciding whether there is room. */
export function sizeBound({ key, value }: AppendRecord): number {
  return HEADER_BYTES + key.length * UTF8_PER_UNIT + (value?.length ?? 0);
}

/** Packs records one after the other into the same memory: LMDB copies a value before `put` returns. */
export class RecordPacker {
  private scratch = Buffer.allocUnsafeSlow(FIRST_SCRATCH_BYTES);

  /** The packed record; valid until the next call. */
  pack(record: AppendRecord, appendedAt: number): Buffer {
    const { receivedAt, seq, key, value } = record;
    const bytes = this.room(sizeBound(record));
    bytes.writeDoubleBE(receivedAt, 0);
    bytes.writeDoubleBE(appendedAt, 8);
    bytes.writeDoubleBE(seq, 16);
    const keyBytes = bytes.write(key, HEADER_BYTES);
    bytes.writeUInt32BE(value ? keyBytes : keyBytes + TOMBSTONE, 24);
    const keyEnd = HEADER_BYTES + keyBytes;
    if (value) bytes.set(value, keyEnd);
    return bytes.subarray(0, keyEnd + (value?.length ?? 0));
  }

  private room(needed: number): Buffer {
    if (needed > SCRATCH_MAX_BYTES) return Buffer.allocUnsafeSlow(needed);
    if (needed > this.scratch.length) this.scratch = Buffer.allocUnsafeSlow(SCRATCH_MAX_BYTES);
    return this.scratch;
  }
}

/** The record of a packed value, which must not be written to afterwards: the record's value is a view of it. */
export function unpackRecord(topic: string, partition: number, offset: number, bytes: Buffer): LogRecord {
  const keyEnd = HEADER_BYTES + keyBytesOf(bytes);
  return {
    topic,
    partition,
    offset,
    receivedAt: bytes.readDoubleBE(0),
    appendedAt: bytes.readDoubleBE(8),
    seq: bytes.readDoubleBE(16),
    key: bytes.toString('utf8', HEADER_BYTES, keyEnd),
    value: isTombstone(bytes) ? null : bytes.subarray(keyEnd),
  };
}

/** Append time of a packed record. */
export function appendedAtOf(bytes: Buffer): number {
  return bytes.readDoubleBE(8);
}

/** Key of a packed record. */
export function keyOf(bytes: Buffer): string {
  return bytes.toString('utf8', HEADER_BYTES, HEADER_BYTES + keyBytesOf(bytes));
}

/** Whether a packed record removes its key. */
export function isTombstone(bytes: Buffer): boolean {
  return (bytes[24]! & 0x80) !== 0;
}

function keyBytesOf(bytes: Buffer): number {
  return bytes.readUInt32BE(24) % TOMBSTONE;
}
