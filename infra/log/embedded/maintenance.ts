/** Runs retention and compaction in slices small enough that the event loop is never blocked for long. */
import type { TopicStorage } from '../log.ts';
import type { Compaction } from './compaction.ts';
import type { Partition } from './partition.ts';
import type { RemoveRecords } from './removal.ts';
import { maxAgeMs, type RetentionLimits, removeOlder, shrink, supersededMs } from './retention.ts';
import { Slices } from './slices.ts';

export interface MaintenanceOptions {
  readonly topics: readonly { readonly storage: TopicStorage; readonly partitions: readonly Partition[] }[];
  /** Wall time, unix ms. */
  readonly now: number;
  readonly limits: RetentionLimits;
  readonly compaction: Compaction;
  readonly remove: RemoveRecords;
  /** Moves the journaled records of a partition into its tree. */
  readonly flush: (partition: Partition) => void;
  /** Checked between slices: true ends the run early. */
  readonly isStopped: () => boolean;
}

/** Removes records that no longer have to be stored; returns how many. */
export async function maintain(options: MaintenanceOptions): Promise<number> {
  const { topics, now, limits, compaction, remove, flush, isStopped } = options;
  const slices = new Slices(isStopped);
  let removed = 0;
  for (const { storage, partitions } of topics) {
    const ageMs = maxAgeMs(storage, limits);
    for (const partition of partitions) {
      flush(partition);
      removed +=
        ageMs === null
          ? await compaction.compact(partition, { now, supersededMs: supersededMs(storage) }, remove, slices)
          : await removeOlder(partition, now - ageMs, remove, slices);
      if (slices.isUsedUp() && !(await slices.next())) return removed;
    }
  }
  if (isStopped()) return removed;
  const raw = topics.filter(({ storage }) => storage.retention.kind === 'raw').flatMap((topic) => topic.partitions);
  return removed + (await shrink(raw, limits.rawMaxBytes, remove, slices));
}
