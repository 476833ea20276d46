/**
 * The file `sync-point` has two slots, written in turn, so that one is always complete:
 *
 * | bytes | what |
 * |---|---|
 * | 8 | `PLXSYNC1` |
 * | 8 | generation, float64 big endian; the higher of two complete slots is used |
 * | 4 | bytes of a page |
 * | 64 | id of the boot, UTF-8, padded with zeros |
 * | 32 | SHA-256 of everything else in the slot |
 * | 2 pages | the meta pages |
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

const MAGIC = Buffer.from('PLXSYNC1');
const GENERATION_AT = 8;
const PAGE_BYTES_AT = 16;
const BOOT_AT = 20;
const BOOT_BYTES = 64;
const HASH_AT = BOOT_AT + BOOT_BYTES;
const HASH_BYTES = 32;
const PAGES_AT = HASH_AT + HASH_BYTES;
/** Number of LMDB's meta pages. */
export const META_PAGES = 2;
/** Larger than a slot with pages of 64 KiB, the largest of any system. */
const SLOT_BYTES = 256 * 1024;
export const SLOTS = 2;

/** A state of the environment that is known to be completely on the disk. */
export interface SyncPoint {
  readonly generation: number;
  readonly boot: string;
  /** The two meta pages. */
  readonly meta: Buffer;
}

/** Returns the position of a sync point of this generation in the file. */
export function slotAt(generation: number): number {
  return (generation % SLOTS) * SLOT_BYTES;
}

/** Packs a sync point. */
export function packSlot({ generation, boot, meta }: SyncPoint): Buffer {
  const slot = Buffer.alloc(PAGES_AT + meta.length);
  MAGIC.copy(slot);
  slot.writeDoubleBE(generation, GENERATION_AT);
  slot.writeUInt32BE(meta.length / META_PAGES, PAGE_BYTES_AT);
  slot.write(boot, BOOT_AT, BOOT_BYTES);
  meta.copy(slot, PAGES_AT);
  hashOf(slot).copy(slot, HASH_AT);
  return slot;
}

/** Returns the newest complete sync point of a file, or null. */
export function readSyncPoint(file: string): SyncPoint | null {
  const bytes = Buffer.alloc(SLOTS * SLOT_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(descriptor);
  }
  const points = Array.from({ length: SLOTS }, (_, slot) => unpackSlot(bytes.subarray(slot * SLOT_BYTES)));
  return points.reduce((best, point) => (point && (!best || point.generation > best.generation) ? point : best), null);
}

function unpackSlot(bytes: Buffer): SyncPoint | null {
  const slot = bytes.subarray(0, PAGES_AT + META_PAGES * bytes.readUInt32BE(PAGE_BYTES_AT));
  if (slot.length > SLOT_BYTES || !slot.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  if (!hashOf(slot).equals(slot.subarray(HASH_AT, PAGES_AT))) return null;
  return {
    generation: slot.readDoubleBE(GENERATION_AT),
    boot: slot.toString('utf8', BOOT_AT, HASH_AT).replace(/\0+$/, ''),
    meta: slot.subarray(PAGES_AT),
  };
}

function hashOf(slot: Buffer): Buffer {
  return createHash('sha256').update(slot.subarray(0, HASH_AT)).update(slot.subarray(PAGES_AT)).digest();
}

/** Returns the size of a slot with pages of this size. */
export function slotBytes(pageBytes: number): number {
  return PAGES_AT + META_PAGES * pageBytes;
}
