/** Writes LZ4 frames, for the simulator and for tests. */
import { xxh32 } from './xxh32.ts';

const BLOCK_BYTES = 65_536;

/** A frame of uncompressed blocks, with the checksum of its content. */
export function writeLz4Frame(content: Buffer): Buffer {
  // Version 1, independent blocks, a checksum of the content; blocks of 64 KiB.
  const descriptor = Buffer.from([0b01100100, 0x40]);
  const head = Buffer.from([0x04, 0x22, 0x4d, 0x18, ...descriptor, (xxh32(descriptor) >>> 8) & 0xff]);
  const blocks: Buffer[] = [];
  for (let at = 0; at < content.length; at += BLOCK_BYTES) {
    const block = content.subarray(at, at + BLOCK_BYTES);
    blocks.push(uint32((block.length | 0x80000000) >>> 0), block);
  }
  return Buffer.concat([head, ...blocks, uint32(0), uint32(xxh32(content))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
