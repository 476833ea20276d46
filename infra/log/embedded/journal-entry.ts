/**
 * An entry of the journal: the records of one append, valid as a whole or not at all. Numbers of fixed size are big
 * endian:
 *
 * | bytes | what |
 * |---|---|
 * | 4 | bytes of the whole entry |
 * | 4 | CRC-32 of everything behind it |
 * | 8 | number of the entry, float64; each has the number after the one before it |
 *
 * and then for each of its parts, of which a partition may have several:
 *
 * | bytes | what |
 * |---|---|
 * | varint, n | bytes of the partition's name, and the name in UTF-8 |
 * | 4, n | bytes of a block, and the block (`block-layout.ts`), not compressed; a full one ends what is joined in the tree |
 */
import { crc32 } from 'node:zlib';
import type { LogRecord } from '../log.ts';
import { HEADER_BYTES, type Position, sizeBound, writeBlock } from './block-layout.ts';
import { type OpenBlock, partsMax } from './open-block.ts';
import { readVarint, VARINT_BYTES_MAX, varintEnd, writeVarint } from './varint.ts';

export const ENTRY_HEADER_BYTES = 16;
const CRC_AT = 4;
const NUMBER_AT = 8;
const LENGTH_BYTES = 4;

/** A partition's part of an entry; the block is a view of it. */
export interface JournalPart {
  readonly name: string;
  readonly block: Buffer;
}

/** Upper bound for the bytes of an entry of these records, by partition. */
export function entryBound(parts: Iterable<{ readonly name: string; readonly records: readonly LogRecord[] }>): number {
  let bound = ENTRY_HEADER_BYTES;
  for (const { name, records } of parts) {
    let bytes = 0;
    for (const record of records) bytes += sizeBound(record);
    bound += bytes + partsMax(bytes) * (VARINT_BYTES_MAX + Buffer.byteLength(name) + LENGTH_BYTES + HEADER_BYTES);
  }
  return bound;
}

/** Packs an entry into memory that is large enough. */
export class EntryPacker {
  readonly number: number;
  private readonly memory: Buffer;
  private end = ENTRY_HEADER_BYTES;

  constructor(number: number, memory: Buffer) {
    this.number = number;
    this.memory = memory;
  }

  /** Adds a part, like `writeBlock`; the returned block is a view of the memory. */
  add(name: string, records: readonly LogRecord[], before: Position, fullFrom: number): OpenBlock {
    const { memory } = this;
    let at = writeVarint(memory, this.end, Buffer.byteLength(name));
    at += memory.write(name, at);
    const from = at + LENGTH_BYTES;
    const header = writeBlock(memory, from, records, before, fullFrom);
    this.end = memory.writeUInt32BE(HEADER_BYTES + header.bodyBytes, at) + HEADER_BYTES + header.bodyBytes;
    return { key: header.first, header, value: memory.subarray(from, this.end), number: this.number };
  }

  /** Returns the complete entry. */
  finish(): Buffer {
    const entry = this.memory.subarray(0, this.end);
    entry.writeUInt32BE(entry.length, 0);
    entry.writeDoubleBE(this.number, NUMBER_AT);
    entry.writeUInt32BE(crc32(entry.subarray(NUMBER_AT)), CRC_AT);
    return entry;
  }
}

/** Returns the length of the entry at this index; null if its header has another number. */
export function entryBytes(bytes: Buffer, at: number, number: number): number | null {
  if (at + ENTRY_HEADER_BYTES > bytes.length || bytes.readDoubleBE(at + NUMBER_AT) !== number) return null;
  const length = bytes.readUInt32BE(at);
  return length >= ENTRY_HEADER_BYTES ? length : null;
}

/** Returns the entry of this number at this index; null if it is incomplete or corrupt. */
export function entryAt(bytes: Buffer, at: number, number: number): Buffer | null {
  const length = entryBytes(bytes, at, number);
  if (length === null || at + length > bytes.length) return null;
  const entry = bytes.subarray(at, at + length);
  return crc32(entry.subarray(NUMBER_AT)) === entry.readUInt32BE(CRC_AT) ? entry : null;
}

/** Yields the parts of a complete entry, in their order. */
export function* partsOf(entry: Buffer): Generator<JournalPart> {
  for (let at = ENTRY_HEADER_BYTES; at < entry.length; ) {
    const nameAt = varintEnd(entry, at);
    const lengthAt = nameAt + readVarint(entry, at);
    const from = lengthAt + LENGTH_BYTES;
    at = from + entry.readUInt32BE(lengthAt);
    yield { name: entry.toString('utf8', nameAt, lengthAt), block: entry.subarray(from, at) };
  }
}
