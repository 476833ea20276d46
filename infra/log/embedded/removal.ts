/** Removes records from a partition: complete blocks, and single records by rewriting their blocks. */
import type { LogRecord } from '../log.ts';
import { compressBlock } from './block-compression.ts';
import { encodeBlock, HEADER_BYTES, positionBefore, readHeader } from './block-layout.ts';
import type { Partition } from './partition.ts';

export interface Removal {
  /** Keys of blocks to remove completely. */
  readonly blocks?: readonly number[];
  /** Offsets of records in other blocks, in any order. */
  readonly records?: readonly number[];
}

/**
 * Moves everything of the partition into its tree, then removes in one transaction what `plan` returns; returns the
 * number of removed records.
 */
export type RemoveRecords = (partition: Partition, plan: () => Removal) => number;

/** A rewritten block. */
interface Rewrite {
  readonly key: number;
  readonly removed: number;
  /** Null if no record is left. */
  readonly block: { readonly key: number; readonly bytes: Buffer } | null;
}

/** The part of a removal below an offset. */
export function removalBelow({ blocks = [], records = [] }: Removal, offset: number): Removal {
  const isBelow = (at: number) => at < offset;
  return { blocks: blocks.filter(isBelow), records: records.filter(isBelow) };
}

export function applyRemoval(
  partition: Partition,
  { blocks = [], records = [] }: Removal,
  transact: (work: () => void) => void,
): number {
  if (blocks.length + records.length === 0) return 0;
  const rewrites = rewritesOf(partition, new Set(records));
  let removed = rewrites.reduce((sum, rewrite) => sum + rewrite.removed, 0);
  for (const key of blocks) removed += readHeader(partition.blockAt(key)!.value).count;
  transact(() => {
    for (const key of blocks) partition.tree.remove(key);
    for (const { key, block } of rewrites) {
      if (block?.key !== key) partition.tree.remove(key);
      if (block) partition.tree.put(block.key, block.bytes);
    }
  });
  return removed;
}

function rewritesOf(partition: Partition, offsets: ReadonlySet<number>): Rewrite[] {
  const rewrites: Rewrite[] = [];
  let handledTo = -1;
  for (const offset of [...offsets].sort((a, b) => a - b)) {
    if (offset <= handledTo) continue;
    const block = partition.blockAt(offset);
    if (!block) continue;
    const header = readHeader(block.value);
    const all = partition.recordsOf(block);
    const remaining = all.filter((record) => !offsets.has(record.offset));
    handledTo = header.last.offset;
    rewrites.push({
      key: block.key,
      removed: all.length - remaining.length,
      block: remaining.length > 0 ? { key: remaining[0]!.offset, bytes: blockOf(remaining, header.isFull) } : null,
    });
  }
  return rewrites;
}

/** Returns the compressed block of records (at least one, offsets rising). */
export function blockOf(records: readonly LogRecord[], isFull: boolean): Buffer {
  const { header, block } = encodeBlock(records, positionBefore(records[0]!));
  return compressBlock({ ...header, isFull }, block.subarray(HEADER_BYTES));
}
