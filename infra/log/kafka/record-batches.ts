/**
 * Reads what a broker answers to a fetch (versions 7 to 11, record batches of magic 2, plain or compressed with gzip), in a
 * fraction of what kafkajs takes, which makes big integers of every record's offset and time. The layout is Kafka's:
 * https://kafka.apache.org/protocol, "Fetch API" and "Record Batch".
 */
import { gunzipSync } from 'node:zlib';
import type { FetchedPartition, RawRecord } from './kafka-client.ts';

const OLDEST_VERSION = 7;
const NEWEST_VERSION = 11;
/** Up to the first record of a batch. */
const BATCH_HEADER_BYTES = 61;
/** Where the form of a batch is told, in every form that there was. */
const MAGIC_AT = 16;
const MAGIC = 2;
const COMPRESSION = 0x07;
const GZIP = 1;
const LOG_APPEND_TIME = 0x08;
const CONTROL = 0x20;
const WORD = 2 ** 32;
/**
 * A partition's batches beyond so many decompressed bytes are left unread, as if the broker had cut the answer off there:
 * compressed batches may be hundreds of times as large as the bytes that a fetch asks for.
 */
const DECOMPRESSED_BYTES_MAX = 8 * 1024 * 1024;

export interface FetchAnswer {
  /** The broker waited already; ms that are left for this side to wait. */
  readonly clientSideThrottleTime: number;
  readonly throttleTime: number;
  readonly responses: readonly {
    readonly topicName: string;
    readonly partitions: readonly (FetchedPartition & { readonly errorCode: number })[];
  }[];
}

/** Null where something in it is for kafkajs to read: another version, another codec than gzip, messages of old. */
export function readFetchAnswer(bytes: Buffer, version: number): FetchAnswer | null {
  if (version < OLDEST_VERSION || version > NEWEST_VERSION) return null;
  const at = new Cursor(bytes);
  const clientSideThrottleTime = at.int32();
  // The error and the session, of which kafkajs uses none.
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

/** The whole batches within so many bytes: a broker cuts the last one off where the answer is full. At least one is read. */
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
    // Who produced it.
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

/** Where the reading stands. Numbers are big endian; those of 64 bits are exact up to 2^53, as all of Kafka's here are. */
class Cursor {
  offset = 0;
  private readonly buffer: Buffer;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  /** A view of what lies before an offset; the position stays. */
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

  /** Zigzag and base 128, lowest bits first. By sums rather than bits: a time may have more than 32. */
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

  /** A view; null for a negative length. */
  bytes(length: number): Buffer | null {
    if (length < 0) return null;
    const from = this.moved(length);
    return this.buffer.subarray(from, this.offset);
  }

  text(length: number): string {
    const from = this.moved(length);
    return this.buffer.toString('utf8', from, this.offset);
  }

  /** Passes over so many bytes; where they begin. */
  private moved(length: number): number {
    const from = this.offset;
    this.offset += length;
    return from;
  }
}
