/**
 * Removes records above the age or size limits. The last record of a partition is always stored: its offset and `seq`
 * continue from there.
 */
import type { TopicStorage } from '../log.ts';
import { lastOf, readHeader } from './block-layout.ts';
import type { Partition } from './partition.ts';
import type { Removal, RemoveRecords } from './removal.ts';
import type { Slices } from './slices.ts';

const HOUR_MS = 3_600_000;
/** Blocks removed at a time, so that a transaction stays short. */
const REMOVE_BLOCKS = 64;

export interface RetentionLimits {
  readonly rawMaxAgeMs: number;
  readonly rawMaxBytes: number;
}

/**
 * Returns how long records of a topic are stored, in ms; null for a compacted topic, where a newer record of the key
 * decides.
 */
export function maxAgeMs({ retention }: TopicStorage, { rawMaxAgeMs }: RetentionLimits): number | null {
  if (retention.kind === 'compacted') return null;
  if (retention.kind === 'forever') return Number.POSITIVE_INFINITY;
  return retention.kind === 'hours' ? retention.hours * HOUR_MS : rawMaxAgeMs;
}

/** Returns how long a superseded record of a compacted topic is stored, in ms. */
export function supersededMs({ retention }: TopicStorage): number {
  return retention.kind === 'compacted' ? (retention.supersededHours ?? 0) * HOUR_MS : 0;
}

/** Removes records appended before a wall time; returns how many. */
export async function removeOlder(
  partition: Partition,
  before: number,
  remove: RemoveRecords,
  slices: Slices,
): Promise<number> {
  let removed = 0;
  for (;;) {
    let hasMore = false;
    removed += remove(partition, () => {
      const removal = olderThan(partition, before);
      hasMore = removal.blocks.length === REMOVE_BLOCKS;
      return removal;
    });
    if (!hasMore || !(await slices.next())) return removed;
  }
}

/** Selects the oldest records to remove: complete blocks, then records of the next. */
function olderThan(partition: Partition, before: number): { readonly blocks: number[]; readonly records: number[] } {
  const blocks: number[] = [];
  const last = partition.next - 1;
  for (const block of partition.blocksFrom(0, REMOVE_BLOCKS)) {
    const end = lastOf(block.value);
    if (end.appendedAt >= before || end.offset === last) {
      // Decoding a block takes some milliseconds. In none of its records is the time of the append lower than this one.
      if (readHeader(block.value).before.appendedAt >= before) return { blocks, records: [] };
      const older = partition.recordsOf(block).filter(({ offset, appendedAt }) => appendedAt < before && offset < last);
      return { blocks, records: older.map(({ offset }) => offset) };
    }
    blocks.push(block.key);
  }
  return { blocks, records: [] };
}

/**
 * Removes the oldest records of all partitions, a block at a time, until together they use at most this many bytes of
 * the disk.
 */
export async function shrink(
  partitions: readonly Partition[],
  maxBytes: number,
  remove: RemoveRecords,
  slices: Slices,
): Promise<number> {
  let removed = 0;
  const sizes = new Map(partitions.map((partition) => [partition, partition.tree.bytes]));
  for (;;) {
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const oldest = bytes > maxBytes ? withOldestBlock(partitions) : null;
    const gone = oldest ? remove(oldest, () => oldestOf(oldest)) : 0;
    if (!oldest || gone === 0) return removed;
    removed += gone;
    sizes.set(oldest, oldest.tree.bytes);
    if (slices.isUsedUp() && !(await slices.next())) return removed;
  }
}

/**
 * The partition whose first block was appended first, among those with more than their last record; null if there is
 * none.
 */
function withOldestBlock(partitions: readonly Partition[]): Partition | null {
  let oldest: { readonly partition: Partition; readonly at: number } | null = null;
  for (const partition of partitions) {
    if (partition.first() >= partition.next - 1) continue;
    for (const { value } of partition.blocksFrom(0, 1)) {
      const at = lastOf(value).appendedAt;
      if (!oldest || at < oldest.at) oldest = { partition, at };
    }
  }
  return oldest?.partition ?? null;
}

/** The first block of a partition, without the last record. */
function oldestOf(partition: Partition): Removal {
  const last = partition.next - 1;
  for (const block of partition.blocksFrom(0, 1)) {
    if (lastOf(block.value).offset < last) return { blocks: [block.key] };
    const older = partition.recordsOf(block).filter(({ offset }) => offset < last);
    return { records: older.map(({ offset }) => offset) };
  }
  return {};
}
