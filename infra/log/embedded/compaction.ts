import type { Partition } from './partition.ts';
import type { RemoveRecords } from './removal.ts';
import type { Slices } from './slices.ts';

/**
 * How long a tombstone is stored: a reader that was away for less learns from it that the key was removed, as on a
 * broker (`delete.retention.ms`).
 */
export const TOMBSTONE_MS = 24 * 3_600_000;
/** A pass is due after this many appends, as a share of the records that the last pass left. */
const DUE_SHARE = 0.5;
/** Records removed at a time, so that a transaction stays short; one or two blocks are rewritten. */
const REMOVE_RECORDS = 1_024;

interface Pass {
  /** End offset of the pass. */
  readonly next: number;
  /** Number of keys that it left. */
  readonly keys: number;
  /** Wall time at which the next tombstone or superseded record may be removed. */
  readonly dueAt: number;
}

export interface CompactionTimes {
  /** Wall time. */
  readonly now: number;
  /** How long a superseded record is stored. */
  readonly supersededMs: number;
}

/**
 * Compacts partitions. Remembers the result of the last pass over each, so that a large one is not scanned for a few
 * new records.
 */
export class Compaction {
  private readonly passes = new Map<string, Pass>();

  /**
   * Removes all but the newest record of each key; stores tombstones and superseded records for a time, and the last
   * record of the partition always. Returns the number of removed records. Appends may continue meanwhile; what they
   * supersede is removed in a later pass.
   */
  async compact(
    partition: Partition,
    { now, supersededMs }: CompactionTimes,
    remove: RemoveRecords,
    slices: Slices,
  ): Promise<number> {
    const last = this.passes.get(partition.name);
    const end = partition.next;
    if (last && end - last.next <= last.keys * DUE_SHARE && now < last.dueAt) return 0;
    const scan = await scanStale(partition, end, { now, supersededMs }, slices);
    if (!scan) return 0;
    for (let at = 0; at < scan.stale.length; at += REMOVE_RECORDS) {
      remove(partition, () => ({ records: scan.stale.slice(at, at + REMOVE_RECORDS) }));
      if (!(await slices.next())) return at + REMOVE_RECORDS;
    }
    this.passes.set(partition.name, { next: end, keys: scan.keys, dueAt: scan.dueAt });
    return scan.stale.length;
  }

  /** Forgets a partition whose topic was emptied. */
  forget(partition: Partition): void {
    this.passes.delete(partition.name);
  }
}

interface Scan {
  /** Offsets of records to remove. */
  readonly stale: number[];
  readonly keys: number;
  readonly dueAt: number;
}

/** Scans backwards from `end`, so that the first record seen of a key is its newest; returns null if it was stopped. */
async function scanStale(
  partition: Partition,
  end: number,
  { now, supersededMs }: CompactionTimes,
  slices: Slices,
): Promise<Scan | null> {
  const seen = new Set<string>();
  const stale: number[] = [];
  let firstDueAt = Number.POSITIVE_INFINITY;
  for (let from = end - 1; from >= 0; ) {
    let reached = -1;
    for (const block of partition.blocksBackwards(from)) {
      for (const record of [...partition.recordsOf(block)].reverse()) {
        if (record.offset > from) continue;
        const superseded = seen.has(record.key);
        seen.add(record.key);
        // The last record is always stored, even as a tombstone: offset and `seq` continue from it.
        const isGone = record.value === null && record.offset !== end - 1;
        const stays = superseded ? supersededMs : isGone ? TOMBSTONE_MS : Number.POSITIVE_INFINITY;
        const dueAt = record.appendedAt + stays;
        if (dueAt <= now) stale.push(record.offset);
        else firstDueAt = Math.min(firstDueAt, dueAt);
      }
      reached = block.key;
      if (slices.isUsedUp()) break;
    }
    if (reached <= 0) break;
    from = reached - 1;
    if (!(await slices.next())) return null;
  }
  // Remove the oldest first: a run that ends early must not leave a record whose tombstone is gone.
  return { stale: stale.reverse(), keys: seen.size, dueAt: firstDueAt };
}
