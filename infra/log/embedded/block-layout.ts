/**
 * How records are stored: in **blocks**, each of records of one partition with rising offsets. In the tree of the
 * partition the key of a block is the offset of its first record. Numbers of the header are big endian:
 *
 * | bytes | what |
 * |---|---|
 * | 1 | bit 0: the body is compressed (Brotli); bit 1: the block is full, later records never join it |
 * | 4 | number of records |
 * | 4 | bytes of the body before compression |
 * | 8 | offset of the first record, float64 as in a `Position` |
 * | 32 | the `Position` before the first record: what the first record's differences refer to |
 * | 32 | the `Position` of the last record |
 * | … | the body, up to the end |
 *
 * The body holds one record after the other, each as differences to the record before it:
 *
 * | bytes | what |
 * |---|---|
 * | 1 | flags: which of the next four fields are there, signs, tombstone |
 * | varint | offset − previous offset, where it is not 1 |
 * | varint | `appendedAt` − previous, where it is not 0; never negative |
 * | varint | size of `receivedAt` − previous, where it is not 0 |
 * | varint | size of `seq` − previous, where it is not 1 |
 * | varint, n | bytes of the key, and the key in UTF-8 |
 * | varint, n | bytes of the value, and the value; missing for a tombstone |
 *
 * The bodies of two blocks make one body when the second begins at the position where the first ends.
 */
import type { AppendRecord, LogRecord } from '../log.ts';
import { readVarint, VARINT_BYTES_MAX, varintEnd, writeVarint } from './varint.ts';

/** Numbers of a record to which the next record is encoded as a difference. */
export interface Position {
  readonly offset: number;
  readonly appendedAt: number;
  readonly receivedAt: number;
  readonly seq: number;
}

export interface BlockHeader {
  readonly isCompressed: boolean;
  readonly isFull: boolean;
  readonly count: number;
  /** Bytes of the body before compression. */
  readonly bodyBytes: number;
  /** Offset of the first record. */
  readonly first: number;
  readonly before: Position;
  readonly last: Position;
}

export const HEADER_BYTES = 81;
const COMPRESSED = 1;
const FULL = 2;
const COUNT_AT = 1;
const BODY_BYTES_AT = 5;
const FIRST_AT = 9;
const BEFORE_AT = 17;
const LAST_AT = 49;

const HAS_OFFSET = 1;
const HAS_APPENDED_AT = 2;
const HAS_RECEIVED_AT = 4;
const EARLIER = 8;
const HAS_SEQ = 16;
const LOWER = 32;
const TOMBSTONE = 64;

/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const UTF8_PER_UNIT = 3;
/** Flags, four numbers and two lengths. */
const RECORD_BYTES_MAX = 1 + 6 * VARINT_BYTES_MAX;

/** Upper bound for the bytes of a record in a body. */
export function sizeBound({ key, value }: Pick<AppendRecord, 'key' | 'value'>): number {
  return RECORD_BYTES_MAX + key.length * UTF8_PER_UNIT + (value?.length ?? 0);
}

/** The position before a body whose first record is this one, if it continues no other body. */
export function positionBefore({ offset, appendedAt, receivedAt, seq }: Position): Position {
  return { offset: offset - 1, appendedAt, receivedAt, seq: seq - 1 };
}

/** Makes an uncompressed block of records (at least one, offsets rising) that continue at `before`. */
export function encodeBlock(records: readonly LogRecord[], before: Position): { header: BlockHeader; block: Buffer } {
  let bound = HEADER_BYTES;
  for (const record of records) bound += sizeBound(record);
  const bytes = Buffer.allocUnsafe(bound);
  const header = writeBlock(bytes, 0, records, before, Number.POSITIVE_INFINITY);
  return { header, block: bytes.subarray(0, HEADER_BYTES + header.bodyBytes) };
}

/**
 * Like `encodeBlock`, but writes into memory.
 * @param fullFrom bytes of the body from which the block counts as full.
 */
export function writeBlock(
  bytes: Buffer,
  start: number,
  records: readonly LogRecord[],
  before: Position,
  fullFrom: number,
): BlockHeader {
  let previous = before;
  let at = start + HEADER_BYTES;
  for (const record of records) {
    at = writeRecord(bytes, at, record, previous);
    previous = record;
  }
  const { offset, appendedAt, receivedAt, seq } = previous;
  const bodyBytes = at - start - HEADER_BYTES;
  const header = {
    isCompressed: false,
    isFull: bodyBytes >= fullFrom,
    count: records.length,
    bodyBytes,
    first: records[0]!.offset,
    before,
    last: { offset, appendedAt, receivedAt, seq },
  };
  writeHeader(bytes.subarray(start), header);
  return header;
}

/** Packs a block of a body, compressed or not. */
export function packBlock(header: BlockHeader, stored: Buffer): Buffer {
  const block = Buffer.allocUnsafe(HEADER_BYTES + stored.length);
  writeHeader(block, header);
  block.set(stored, HEADER_BYTES);
  return block;
}

export function writeHeader(block: Buffer, header: BlockHeader): void {
  block[0] = (header.isCompressed ? COMPRESSED : 0) | (header.isFull ? FULL : 0);
  block.writeUInt32BE(header.count, COUNT_AT);
  block.writeUInt32BE(header.bodyBytes, BODY_BYTES_AT);
  block.writeDoubleBE(header.first, FIRST_AT);
  writePosition(block, BEFORE_AT, header.before);
  writePosition(block, LAST_AT, header.last);
}

export function readHeader(block: Buffer): BlockHeader {
  const form = block[0]!;
  return {
    isCompressed: (form & COMPRESSED) !== 0,
    isFull: (form & FULL) !== 0,
    count: block.readUInt32BE(COUNT_AT),
    bodyBytes: block.readUInt32BE(BODY_BYTES_AT),
    first: block.readDoubleBE(FIRST_AT),
    before: readPosition(block, BEFORE_AT),
    last: readPosition(block, LAST_AT),
  };
}

/** Returns the position of the last record of a block. */
export function lastOf(block: Buffer): Position {
  return readPosition(block, LAST_AT);
}

/** Decodes the records of a body. Their values are views of the body, which must not be written to afterwards. */
export function decodeBody(
  topic: string,
  partition: number,
  { before, count }: Pick<BlockHeader, 'before' | 'count'>,
  body: Buffer,
): LogRecord[] {
  const records: LogRecord[] = [];
  let { offset, appendedAt, receivedAt, seq } = before;
  let at = 0;
  const next = (): number => {
    const value = readVarint(body, at);
    at = varintEnd(body, at);
    return value;
  };
  for (let left = count; left > 0; left -= 1) {
    const flags = body[at]!;
    at += 1;
    offset += flags & HAS_OFFSET ? next() : 1;
    if (flags & HAS_APPENDED_AT) appendedAt += next();
    if (flags & HAS_RECEIVED_AT) receivedAt += flags & EARLIER ? -next() : next();
    seq += flags & HAS_SEQ ? (flags & LOWER ? -next() : next()) : 1;
    const keyBytes = next();
    const key = body.toString('utf8', at, at + keyBytes);
    at += keyBytes;
    let value: Buffer | null = null;
    if (!(flags & TOMBSTONE)) {
      const valueBytes = next();
      value = body.subarray(at, at + valueBytes);
      at += valueBytes;
    }
    records.push({ topic, partition, key, value, receivedAt, seq, offset, appendedAt, decoded: undefined });
  }
  return records;
}

/** Writes one record; returns the index after it. */
function writeRecord(bytes: Buffer, start: number, record: LogRecord, previous: Position): number {
  const { key, value } = record;
  const offsetStep = record.offset - previous.offset;
  const appendedStep = record.appendedAt - previous.appendedAt;
  const receivedStep = record.receivedAt - previous.receivedAt;
  const seqStep = record.seq - previous.seq;
  let flags = value ? 0 : TOMBSTONE;
  let at = start + 1;
  if (offsetStep !== 1) {
    flags |= HAS_OFFSET;
    at = writeVarint(bytes, at, offsetStep);
  }
  if (appendedStep !== 0) {
    flags |= HAS_APPENDED_AT;
    at = writeVarint(bytes, at, appendedStep);
  }
  if (receivedStep !== 0) {
    flags |= receivedStep < 0 ? HAS_RECEIVED_AT | EARLIER : HAS_RECEIVED_AT;
    at = writeVarint(bytes, at, Math.abs(receivedStep));
  }
  if (seqStep !== 1) {
    flags |= seqStep < 0 ? HAS_SEQ | LOWER : HAS_SEQ;
    at = writeVarint(bytes, at, Math.abs(seqStep));
  }
  bytes[start] = flags;
  const keyBytes = Buffer.byteLength(key);
  at = writeVarint(bytes, at, keyBytes);
  bytes.write(key, at);
  at += keyBytes;
  if (value) {
    at = writeVarint(bytes, at, value.length);
    bytes.set(value, at);
    at += value.length;
  }
  return at;
}

function writePosition(bytes: Buffer, at: number, { offset, appendedAt, receivedAt, seq }: Position): void {
  bytes.writeDoubleBE(offset, at);
  bytes.writeDoubleBE(appendedAt, at + 8);
  bytes.writeDoubleBE(receivedAt, at + 16);
  bytes.writeDoubleBE(seq, at + 24);
}

function readPosition(bytes: Buffer, at: number): Position {
  return {
    offset: bytes.readDoubleBE(at),
    appendedAt: bytes.readDoubleBE(at + 8),
    receivedAt: bytes.readDoubleBE(at + 16),
    seq: bytes.readDoubleBE(at + 24),
  };
}
