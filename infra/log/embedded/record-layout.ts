/**
 * How a record stands in LMDB. The key is the offset, 8 bytes big endian, so that LMDB's order is the log's. The value:
 *
 * | bytes | what |
 * |---|---|
 * | 8 | `receivedAt`, float64 big endian (a whole number of ms) |
 * | 8 | `appendedAt`, likewise |
 * | 8 | `seq`, likewise |
 * | 4 | bytes of the key, highest bit set for a tombstone |
 * | … | the key, UTF-8 |
 * | … | the value |
 */
import type { AppendRecord, LogRecord } from '../log.ts';

const HEADER_BYTES = 28;
const TOMBSTONE = 0x8000_0000;

export function offsetKey(offset: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  key.writeBigUInt64BE(BigInt(offset));
  return key;
}

export function readOffsetKey(key: Buffer): number {
  return Number(key.readBigUInt64BE());
}

export function packRecord({ receivedAt, seq, key, value }: AppendRecord, appendedAt: number): Buffer {
  const keyBytes = Buffer.byteLength(key);
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + keyBytes + (value?.length ?? 0));
  bytes.writeDoubleBE(receivedAt, 0);
  bytes.writeDoubleBE(appendedAt, 8);
  bytes.writeDoubleBE(seq, 16);
  bytes.writeUInt32BE(value ? keyBytes : (keyBytes | TOMBSTONE) >>> 0, 24);
  bytes.write(key, HEADER_BYTES);
  value?.copy(bytes, HEADER_BYTES + keyBytes);
  return bytes;
}

export function unpackRecord(topic: string, partition: number, offset: number, bytes: Buffer): LogRecord {
  const marked = bytes.readUInt32BE(24);
  const keyBytes = marked & ~TOMBSTONE;
  const keyEnd = HEADER_BYTES + keyBytes;
  return {
    topic,
    partition,
    offset,
    receivedAt: bytes.readDoubleBE(0),
    appendedAt: bytes.readDoubleBE(8),
    seq: bytes.readDoubleBE(16),
    key: bytes.toString('utf8', HEADER_BYTES, keyEnd),
    value: (marked & TOMBSTONE) !== 0 ? null : bytes.subarray(keyEnd),
  };
}

/** Append time of a packed record, without unpacking it. */
export function appendedAtOf(bytes: Buffer): number {
  return bytes.readDoubleBE(8);
}
