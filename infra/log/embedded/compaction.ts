import type { Partition } from './partition.ts';
import type { RemoveRecords } from './removal.ts';
import type { Slices } from './slices.ts';

/**
 * How long a tombstone is kept: a reader that was away for less learns from it that the key is gone, as on a broker
 * (`delete.retention.ms`).
 */
export const TOMBSTONE_MS = 24 * 3_600_000;
/** A pass is due when so much was appended since the last, as a share of what that one left. */
const DUE_SHARE = 0.5;
/** Removed at once, so that a transaction stays short; a block or two is written anew. */
const REMOVE_RECORDS = 1_024;

interface Pass {
  /** Offset that it came to. */
  readonly next: number;
  /** Keys that it left. */
  readonly kept: number;
  /** Wall time at which the first may go that was left for its age: a tombstone, or a superseded record. */
  readonly dueAt: number;
}

export interface CompactionTimes {
  /** Wall time. */
  readonly now: number;
  /** How long a superseded record stays. */
  readonly supersededMs: number;
}

/** Remembers what the last pass over each partition left, so that a large one is not scanned for a few new records. */
export class Compaction {
  private readonly passes = new Map<string, Pass>();

  /**
   * Leaves the newest record of each key, and tombstones and superseded records for a time. The last record of all stays. Gives how many were
   * removed. Appends may go on meanwhile; what they supersede goes in a later pass.
   */
  async compact(
    partition: Partition,
    { now, supersededMs }: CompactionTimes,
    remove: RemoveRecords,
    slices: Slices,
  ): Promise<number> {
    const last = this.passes.get(partition.name);
    const end = partition.next;
    if (last && end - last.next <= last.kept * DUE_SHARE && now < last.dueAt) return 0;
    const scan = await scanStale(partition, end, { now, supersededMs }, slices);
    if (!scan) return 0;
    for (let at = 0; at < scan.stale.length; at += REMOVE_RECORDS) {
      remove(partition, () => ({ records: scan.stale.slice(at, at + REMOVE_RECORDS) }));
      if (!(await slices.next())) return at + REMOVE_RECORDS;
    }
    this.passes.set(partition.name, { next: end, kept: scan.kept, dueAt: scan.dueAt });
    return scan.stale.length;
  }

  /** The topic was emptied. */
  forget(partition: Partition): void {
    this.passes.delete(partition.name);
  }
}

interface Scan {
  /** Offsets that may go. */
  readonly stale: number[];
  readonly kept: number;
  readonly dueAt: number;
}

/** Goes backwards from `end`, so that the first record seen of a key is its newest; null when it has to stop. */
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
        // The last record of all stays even as a tombstone: offset and number go on from it.
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
  // The oldest go first: a run that ends early must not leave a record behind whose tombstone is gone.
  return { stale: stale.reverse(), kept: seen.size, dueAt: firstDueAt };
}
