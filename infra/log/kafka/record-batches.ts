/**
 * Reads the answers to fetches (versions 7 to 11, record batches of magic 2, uncompressed or gzip) in a fraction of the
 * time of kafkajs, which converts every record's offset and time to a big integer. The layout is Kafka's:
 * https://kafka.apache.org/protocol, "Fetch API" and "Record Batch".
 */
import { gunzipSync } from 'node:zlib';
import type { FetchedPartition, RawRecord } from './kafka-client.ts';

const OLDEST_VERSION = 7;
const NEWEST_VERSION = 11;
/** Bytes before the first record of a batch. */
const BATCH_HEADER_BYTES = 61;
/** Index of the magic byte, the same in every version. */
const MAGIC_AT = 16;
const MAGIC = 2;
const COMPRESSION = 0x07;
const GZIP = 1;
const LOG_APPEND_TIME = 0x08;
const CONTROL = 0x20;
const WORD = 2 ** 32;
/**
 * Decompressed bytes of a partition after which further batches are left unread, as if the broker ended the answer
 * there: compressed batches may be hundreds of times as large as the bytes that a fetch requests.
 */
const DECOMPRESSED_BYTES_MAX = 8 * 1024 * 1024;

export interface FetchAnswer {
  /** Remaining throttle time on the client's side, ms; the broker has waited already. */
  readonly clientSideThrottleTime: number;
  readonly throttleTime: number;
  readonly responses: readonly {
    readonly topicName: string;
    readonly partitions: readonly (FetchedPartition & { readonly errorCode: number })[];
  }[];
}

/** Returns null if kafkajs must read the answer: another version, another codec than gzip, or old messages. */
export function readFetchAnswer(bytes: Buffer, version: number): FetchAnswer | null {
  if (version < OLDEST_VERSION || version > NEWEST_VERSION) return null;
  const at = new Cursor(bytes);
  const clientSideThrottleTime = at.int32();
  // The error and the session, which kafkajs does not use.
  at.offset += 6;
  const responses = [];
  for (let topics = at.int32(); topics > 0; topics -= 1) {
    const topicName = at.text(at.int16());
    const partitions = [];
    for (let left = at.int32(); left > 0; left -= 1) {
      const [partition, errorCode, highWatermark] = [at.int32(), at.int16(), at.int64()];
      // The last stable offset and the first one; then the aborted transactions, 16 bytes each, -1 for none.
      at.offset += 16;
      const aborted = at.int32();
      at.offset += Math.max(0, aborted) * 16;
      if (version === NEWEST_VERSION) at.offset += 4;
      const messages = readBatches(at, at.int32());
      if (!messages) return null;
      partitions.push({ partition, errorCode, highWatermark, messages });
    }
    responses.push({ topicName, partitions });
  }
  return { clientSideThrottleTime, throttleTime: 0, responses };
}

/**
 * Reads the complete batches within this many bytes: a broker truncates the last one if the answer is full. Reads at
 * least one.
 */
function readBatches(at: Cursor, length: number): RawRecord[] | null {
  const records: RawRecord[] = [];
  const end = at.offset + Math.max(0, length);
  let decompressed = 0;
  while (end - at.offset > MAGIC_AT && decompressed < DECOMPRESSED_BYTES_MAX) {
    if (at.byteAfter(MAGIC_AT) !== MAGIC) return null;
    if (end - at.offset < BATCH_HEADER_BYTES) break;
    const firstOffset = at.int64();
    const batchEnd = at.offset + 4 + at.int32();
    if (batchEnd > end) break;
    // The leader's epoch, the magic byte and the checksum.
    at.offset += 9;
    const attributes = at.int16();
    const codec = attributes & COMPRESSION;
    if (codec !== 0 && codec !== GZIP) return null;
    const lastOffsetDelta = at.int32();
    const [firstTime, lastTime] = [at.int64(), at.int64()];
    // The producer id, epoch and sequence.
    at.offset += 14;
    const isControlRecord = (attributes & CONTROL) !== 0;
    const timestamp = (attributes & LOG_APPEND_TIME) !== 0 ? lastTime : null;
    const batchContext = { firstOffset, lastOffsetDelta };
    const count = at.int32();
    const plain = codec === GZIP ? gunzipSync(at.untilOffset(batchEnd)) : null;
    decompressed += plain?.length ?? 0;
    const inside = plain ? new Cursor(plain) : at;
    for (let left = count; left > 0; left -= 1) {
      const recordEnd = inside.varint() + inside.offset;
      inside.offset += 1;
      const appended = firstTime + inside.varint();
      const offset = firstOffset + inside.varint();
      const key = inside.bytes(inside.varint());
      const value = inside.bytes(inside.varint());
      const headers = readHeaders(inside);
      inside.offset = recordEnd;
      records.push({ offset, timestamp: timestamp ?? appended, key, value, headers, isControlRecord, batchContext });
    }
    at.offset = batchEnd;
  }
  at.offset = end;
  return records;
}

function readHeaders(at: Cursor): RawRecord['headers'] {
  const headers: Record<string, string | string[]> = {};
  for (let left = at.varint(); left > 0; left -= 1) {
    const name = at.text(at.varint());
    const value = at.text(Math.max(0, at.varint()));
    const before = headers[name];
    headers[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return headers;
}

/**
 * Reads a buffer from a moving offset. Numbers are big endian; those of 64 bits are exact up to 2^53, as all of Kafka's
 * here are.
 */
class Cursor {
  offset = 0;
  private readonly buffer: Buffer;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  /** Returns a view up to an offset; the position stays. */
  untilOffset(end: number): Buffer {
    return this.buffer.subarray(this.offset, end);
  }

  byteAfter(bytes: number): number | undefined {
    return this.buffer[this.offset + bytes];
  }

  int16(): number {
    return this.buffer.readInt16BE(this.moved(2));
  }

  int32(): number {
    return this.buffer.readInt32BE(this.moved(4));
  }

  int64(): number {
    const high = this.int32();
    return high * WORD + this.buffer.readUInt32BE(this.moved(4));
  }

  /** Zigzag and base 128, lowest bits first. Uses sums instead of bits: a time may have more than 32 bits. */
  varint(): number {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = this.buffer[this.moved(1)];
      if (byte === undefined) throw new RangeError('a record batch ends within a number');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      scale *= 128;
    }
  }

  /** Returns a view; null for a negative length. */
  bytes(length: number): Buffer | null {
    if (length < 0) return null;
    const from = this.moved(length);
    return this.buffer.subarray(from, this.offset);
  }

  text(length: number): string {
    const from = this.moved(length);
    return this.buffer.toString('utf8', from, this.offset);
  }

  /** Advances by this many bytes; returns the offset before. */
  private moved(length: number): number {
    const from = this.offset;
    this.offset += length;
    return from;
  }
}
