/**
 * Removes what is older or more than has to be kept. The last record of a partition always stays: its offset and number
 * go on from there.
 */
import type { TopicStorage } from '../log.ts';
import { pagesOf } from './disk-room.ts';
import type { Partition } from './partition.ts';
import { appendedAtOf } from './record-layout.ts';
import type { Slices } from './slices.ts';

const HOUR_MS = 3_600_000;
/** Records that shrinking takes from the oldest partition before it looks again how much is left. */
const STEP_RECORDS = 256;

export interface RetentionLimits {
  readonly rawMaxAgeMs: number;
  readonly rawMaxBytes: number;
}

/** Removes records by offset, in one transaction. */
export type RemoveRecords = (partition: Partition, offsets: readonly number[]) => void;

/** How long records of a topic are kept, in ms; null where not their age counts but whether a newer one has their key. */
export function maxAgeMs({ retention }: TopicStorage, { rawMaxAgeMs }: RetentionLimits): number | null {
  if (retention.kind === 'compacted') return null;
  if (retention.kind === 'forever') return Number.POSITIVE_INFINITY;
  return retention.kind === 'hours' ? retention.hours * HOUR_MS : rawMaxAgeMs;
}

/** How long a record of a compacted topic stays when a newer one has its key, in ms. */
export function supersededMs({ retention }: TopicStorage): number {
  return retention.kind === 'compacted' ? (retention.supersededHours ?? 0) * HOUR_MS : 0;
}

/** Removes records appended before a wall time; gives how many. */
export async function removeOlder(
  partition: Partition,
  before: number,
  remove: RemoveRecords,
  slices: Slices,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const { offsets, more } = olderThan(partition, before, slices);
    remove(partition, offsets);
    removed += offsets.length;
    if (!more || !(await slices.next())) return removed;
  }
}

/** Removes the oldest records, of whatever partition, until all together take no more than so many bytes on the disk. */
export async function shrink(
  partitions: readonly Partition[],
  maxBytes: number,
  remove: RemoveRecords,
  slices: Slices,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const bytes = partitions.reduce((sum, partition) => sum + bytesOf(partition), 0);
    const horizon = bytes > maxBytes ? oldestStep(partitions, 1 - maxBytes / bytes) : null;
    if (horizon === null) return removed;
    for (const partition of partitions) removed += await removeOlder(partition, horizon + 1, remove, slices);
    if (!(await slices.next())) return removed;
  }
}

/** Every record but the last. */
function removable({ next }: Partition): { readonly start: number; readonly end: number } {
  return { start: 0, end: Math.max(0, next - 1) };
}

function olderThan(partition: Partition, before: number, slices: Slices): { offsets: number[]; more: boolean } {
  const offsets: number[] = [];
  for (const { key, value } of partition.db.getRange(removable(partition))) {
    if (appendedAtOf(value) >= before) break;
    offsets.push(key);
    if (slices.over()) return { offsets, more: true };
  }
  return { offsets, more: false };
}

/**
 * A wall time up to which removing takes a step of records out of the partition with the oldest one; null when no
 * partition can spare any.
 */
function oldestStep(partitions: readonly Partition[], share: number): number | null {
  let oldest: { readonly partition: Partition; readonly at: number } | null = null;
  for (const partition of partitions) {
    for (const { value } of partition.db.getRange({ ...removable(partition), limit: 1 })) {
      const at = appendedAtOf(value);
      if (!oldest || at < oldest.at) oldest = { partition, at };
    }
  }
  if (!oldest) return null;
  const { partition } = oldest;
  // Not more than half of what has to go, so that the step does not overshoot by much.
  const count = (partition.db.getStats() as { entryCount: number }).entryCount;
  const step = Math.max(1, Math.min(STEP_RECORDS, Math.floor((count * share) / 2)));
  let horizon = oldest.at;
  for (const { value } of partition.db.getRange({ ...removable(partition), limit: step }))
    horizon = appendedAtOf(value);
  return horizon;
}

function bytesOf(partition: Partition): number {
  const stats = partition.db.getStats() as Parameters<typeof pagesOf>[0] & { readonly pageSize: number };
  return pagesOf(stats) * stats.pageSize;
}
