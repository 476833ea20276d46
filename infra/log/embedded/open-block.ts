/** A block at the end of a partition, before it is full and compressed (`open-run.ts`). */
import type { BlockHeader } from './block-layout.ts';

/**
 * Bytes of the body of a full block. Larger blocks compress little better, and reading one record decodes all of them.
 */
export const FULL_BYTES = 256 * 1024;

/** An uncompressed block. If it came with an append, it is a view of the memory of its entry. */
export interface OpenBlock {
  /** Offset of its first record. */
  readonly key: number;
  readonly header: BlockHeader;
  readonly value: Buffer;
  /** The journal entry that contains it; null if it is in the tree. */
  readonly number: number | null;
}

/**
 * Maximum number of parts of an entry for this many bytes of a partition: one completes a block, others are full, one
 * is left.
 */
export function partsMax(bytes: number): number {
  return 2 + Math.floor(bytes / FULL_BYTES);
}
