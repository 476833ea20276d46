/**
 * Decompresses LZ4 frames (the LZ4 frame format, version 1.6). It is written here because the JavaScript library for it
 * was not released again for years, and the others need native code.
 */
import { Xxh32, xxh32 } from './xxh32.ts';

const MAGIC = 0x184d2204;
/** Frames that are skipped have the magic numbers 0x184D2A50 to 0x184D2A5F. */
const SKIPPABLE_MAGIC = 0x184d2a5;
/** How far back a match may reach. */
const WINDOW_BYTES = 64 * 1024;
const MATCH_BYTES_MIN = 4;
/** Output is yielded in chunks of at least this size, except at the end of a block: a fraction of a millisecond of work. */
const CHUNK_BYTES = 32 * 1024;
const BLOCK_BYTES: Readonly<Record<number, number>> = { 4: 65_536, 5: 262_144, 6: 1_048_576, 7: 4_194_304 };
const UNCOMPRESSED = 0x80000000;

/** Thrown for bytes that are no complete LZ4 frame, and for those that decompress to more than the limit. */
export class Lz4Error extends Error {
  override name = 'Lz4Error';
  readonly code = 'malformed_lz4';
  readonly canRetry = false;
}

/** How a frame is written. */
interface Descriptor {
  readonly blocksAreLinked: boolean;
  readonly hasBlockChecksums: boolean;
  readonly hasContentChecksum: boolean;
  /** Bytes of the content; null if the frame does not state them. */
  readonly contentBytes: number | null;
  readonly blockBytesMax: number;
}

/**
 * Yields the content in chunks. Throws an `Lz4Error` where the bytes are malformed or truncated, where a checksum or the
 * stated size differs, and after `bytesMax` bytes of content.
 */
export function* readLz4Frames(bytes: Buffer, bytesMax: number): Generator<Buffer, void> {
  const input = new Input(bytes);
  let frames = 0;
  let left = bytesMax;
  while (input.left > 0) {
    const magic = input.uint32();
    if (magic >>> 4 === SKIPPABLE_MAGIC) {
      input.take(input.uint32());
      continue;
    }
    if (magic !== MAGIC) throw new Lz4Error('the bytes are not an LZ4 frame');
    for (const chunk of readFrame(input)) {
      left -= chunk.length;
      if (left < 0) throw new Lz4Error(`the content has more than ${bytesMax} bytes`);
      yield chunk;
    }
    frames += 1;
  }
  if (frames === 0) throw new Lz4Error('there is no LZ4 frame');
}

function* readFrame(input: Input): Generator<Buffer, void> {
  const descriptor = readDescriptor(input);
  const { blocksAreLinked, hasBlockChecksums, hasContentChecksum, contentBytes, blockBytesMax } = descriptor;
  const checksum = hasContentChecksum ? new Xxh32() : null;
  // The end of the previous block, then the block.
  const output = Buffer.alloc(WINDOW_BYTES + blockBytesMax);
  let history = 0;
  let total = 0;
  for (let size = input.uint32(); size !== 0; size = input.uint32()) {
    const isCompressed = size < UNCOMPRESSED;
    const length = isCompressed ? size : size - UNCOMPRESSED;
    if (length > blockBytesMax) throw new Lz4Error(`a block has ${length} bytes, more than ${blockBytesMax}`);
    const block = input.take(length);
    if (hasBlockChecksums && input.uint32() !== xxh32(block)) throw new Lz4Error('the checksum of a block differs');
    const start = blocksAreLinked ? history : 0;
    let end = start;
    for (const reached of isCompressed
      ? decompress(block, output, start, start + blockBytesMax)
      : copy(block, output, start)) {
      const chunk = Buffer.from(output.subarray(end, reached));
      end = reached;
      total += chunk.length;
      checksum?.update(chunk);
      yield chunk;
    }
    history = Math.min(end, WINDOW_BYTES);
    output.copyWithin(0, end - history, end);
  }
  if (contentBytes !== null && contentBytes !== total)
    throw new Lz4Error(`the content has ${total} bytes instead of ${contentBytes}`);
  if (checksum && input.uint32() !== checksum.digest()) throw new Lz4Error('the checksum of the content differs');
}

function readDescriptor(input: Input): Descriptor {
  const start = input.at;
  const [flags, block] = [input.uint8(), input.uint8()];
  if (flags >>> 6 !== 1) throw new Lz4Error(`version ${flags >>> 6} of the frame is unknown`);
  if ((flags & 0b10) !== 0 || (block & 0b10001111) !== 0) throw new Lz4Error('reserved bits of the frame are set');
  if ((flags & 0b1) !== 0) throw new Lz4Error('the frame needs a dictionary');
  const blockBytesMax = BLOCK_BYTES[block >>> 4];
  if (blockBytesMax === undefined) throw new Lz4Error(`block size ${block >>> 4} is unknown`);
  const contentBytes = (flags & 0b1000) !== 0 ? input.uint64() : null;
  const checksum = (xxh32(input.since(start)) >>> 8) & 0xff;
  if (input.uint8() !== checksum) throw new Lz4Error('the checksum of the frame descriptor differs');
  return {
    blocksAreLinked: (flags & 0b100000) === 0,
    hasBlockChecksums: (flags & 0b10000) !== 0,
    hasContentChecksum: (flags & 0b100) !== 0,
    contentBytes,
    blockBytesMax,
  };
}

function* copy(block: Buffer, output: Buffer, start: number): Generator<number, void> {
  block.copy(output, start);
  yield start + block.length;
}

/** Decompresses a block behind its history, up to `limit`. Yields again and again how far the output reaches. */
function* decompress(block: Buffer, output: Buffer, start: number, limit: number): Generator<number, void> {
  const input = new Input(block);
  let at = start;
  let yielded = start;
  for (;;) {
    const token = input.uint8();
    const literals = input.take(input.length(token >>> 4));
    if (at + literals.length > limit) throw new Lz4Error('a block is longer than the frame allows');
    literals.copy(output, at);
    at += literals.length;
    // A block ends after literals.
    if (input.left === 0) break;
    const distance = input.uint16();
    if (distance === 0 || distance > at) throw new Lz4Error('a match begins before the content');
    const length = input.length(token & 0b1111) + MATCH_BYTES_MIN;
    if (at + length > limit) throw new Lz4Error('a block is longer than the frame allows');
    copyMatch(output, at, distance, length);
    at += length;
    if (at - yielded < CHUNK_BYTES) continue;
    yielded = at;
    yield at;
  }
  if (at > yielded) yield at;
}

/** Repeats what was written `distance` bytes before. A match that reaches into itself repeats its own start. */
function copyMatch(output: Buffer, at: number, distance: number, length: number): void {
  if (distance >= length) output.copyWithin(at, at - distance, at - distance + length);
  else for (let to = at; to < at + length; to += 1) output[to] = output[to - distance]!;
}

/** Reads the bytes one after the other. Throws an `Lz4Error` at their end. */
class Input {
  private readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  take(length: number): Buffer {
    if (length > this.left) throw new Lz4Error(`the bytes end ${length - this.left} bytes early`);
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  since(start: number): Buffer {
    return this.bytes.subarray(start, this.at);
  }

  uint8(): number {
    if (this.at >= this.bytes.length) throw new Lz4Error('the bytes end 1 byte early');
    this.at += 1;
    return this.bytes[this.at - 1]!;
  }

  uint16(): number {
    return this.uint8() + this.uint8() * 256;
  }

  uint32(): number {
    return this.take(4).readUInt32LE();
  }

  uint64(): number {
    return Number(this.take(8).readBigUInt64LE());
  }

  /** A length of 15 or more continues in further bytes. */
  length(first: number): number {
    let length = first;
    if (first < 15) return length;
    for (;;) {
      const more = this.uint8();
      length += more;
      if (more < 255) return length;
    }
  }
}
