/** A block of the end of a partition, before it is full and compressed (`open-run.ts`). */
import type { BlockHeader } from './block-layout.ts';

/** Bytes of the body of a full block. More compress little better, and whoever reads one record reads all of them. */
export const FULL_BYTES = 256 * 1024;

/** A block that is not compressed. What came with an append is a view of the memory that the entry was packed into. */
export interface OpenBlock {
  /** Offset of its first record. */
  readonly key: number;
  readonly header: BlockHeader;
  readonly value: Buffer;
  /** The entry of the journal that it is in; null when it is in the tree. */
  readonly number: number | null;
}

/** How many parts of an entry so many bytes of a partition make at most: one fills a block, others are full, one is left. */
export function partsMax(bytes: number): number {
  return 2 + Math.floor(bytes / FULL_BYTES);
}
