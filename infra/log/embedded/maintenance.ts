/** Retention and compaction, in slices small enough that the event loop never waits long for one. */
import { setImmediate as yieldToIo } from 'node:timers/promises';
import type { TopicStorage } from '../log.ts';
import type { Partition } from './partition.ts';
import { appendedAtOf, offsetKey, readOffsetKey, unpackRecord } from './record-layout.ts';

/** Records looked at or removed between two turns of other work. */
const SLICE_RECORDS = 2_000;
const HOUR_MS = 3_600_000;

export interface MaintenanceOptions {
  readonly topics: readonly { readonly storage: TopicStorage; readonly partitions: readonly Partition[] }[];
  /** Wall time, unix ms. */
  readonly now: number;
  readonly limits: { readonly rawMaxAgeMs: number; readonly rawMaxBytes: number };
  readonly transaction: <T>(work: () => T) => T;
  readonly stopped: () => boolean;
}

/** Removes what no longer has to be kept; gives how many records went. */
export async function maintain(options: MaintenanceOptions): Promise<number> {
  let removed = 0;
  for (const { storage, partitions } of options.topics) {
    for (const partition of partitions) {
      if (options.stopped()) return removed;
      if (storage.retention.kind === 'forever') continue;
      if (storage.retention.kind === 'compacted') removed += await compact(partition, options);
      else removed += await expire(partition, options, options.now - maxAgeMs(storage, options));
    }
  }
  return removed + (await shrinkRaw(options));
}

function maxAgeMs({ retention }: TopicStorage, { limits }: MaintenanceOptions): number {
  return retention.kind === 'hours' ? retention.hours * HOUR_MS : limits.rawMaxAgeMs;
}

/** Removes records appended before a wall time, oldest first, and never the last one: its number goes on. */
async function expire(partition: Partition, options: MaintenanceOptions, before: number): Promise<number> {
  let removed = 0;
  for (;;) {
    if (options.stopped()) return removed;
    const old: Buffer[] = [];
    for (const { key, value } of partition.db.getRange({ limit: SLICE_RECORDS })) {
      if (appendedAtOf(value) >= before || readOffsetKey(key) === partition.next - 1) break;
      old.push(Buffer.from(key));
    }
    remove(partition, old, options);
    removed += old.length;
    if (old.length < SLICE_RECORDS) return removed;
    await yieldToIo();
  }
}

/** Removes all but the newest record of each key; removed keys go altogether, but for the last record of all. */
async function compact(partition: Partition, options: MaintenanceOptions): Promise<number> {
  const newest = new Map<string, number>();
  const end = partition.next;
  await scan(partition, end, options, (offset, key) => void newest.set(key, offset));
  const stale: Buffer[] = [];
  await scan(partition, end, options, (offset, key, tombstone) => {
    if (offset === end - 1) return;
    if (newest.get(key) !== offset || tombstone) stale.push(offsetKey(offset));
  });
  for (let at = 0; at < stale.length; at += SLICE_RECORDS) {
    if (options.stopped()) return at;
    remove(partition, stale.slice(at, at + SLICE_RECORDS), options);
    await yieldToIo();
  }
  return stale.length;
}

async function scan(
  partition: Partition,
  end: number,
  { stopped }: MaintenanceOptions,
  visit: (offset: number, key: string, tombstone: boolean) => void,
): Promise<void> {
  for (let offset = partition.first(); offset < end && !stopped(); ) {
    let seen = 0;
    for (const { key, value } of partition.db.getRange({ start: offsetKey(offset), limit: SLICE_RECORDS })) {
      const record = unpackRecord(partition.topic, partition.partition, readOffsetKey(key), value);
      if (record.offset >= end) return;
      visit(record.offset, record.key, record.value === null);
      offset = record.offset + 1;
      seen += 1;
    }
    if (seen === 0) return;
    await yieldToIo();
  }
}

/** Removes the oldest raw records, of whatever raw topic, until all of them together fit. */
async function shrinkRaw(options: MaintenanceOptions): Promise<number> {
  const raw = options.topics
    .filter(({ storage }) => storage.retention.kind === 'raw')
    .flatMap((topic) => topic.partitions);
  let bytes = raw.reduce((sum, partition) => sum + bytesOf(partition), 0);
  let removed = 0;
  while (bytes > options.limits.rawMaxBytes && !options.stopped()) {
    const oldest = raw
      .map((partition) => ({ partition, at: firstAppendedAt(partition) }))
      .filter(({ at }) => at !== null)
      .sort((a, b) => a.at! - b.at!)[0];
    if (!oldest) break;
    const { partition } = oldest;
    const keys: Buffer[] = [];
    for (const { key, value } of partition.db.getRange({ limit: SLICE_RECORDS })) {
      if (readOffsetKey(key) === partition.next - 1 || bytes <= options.limits.rawMaxBytes) break;
      keys.push(Buffer.from(key));
      bytes -= value.length;
    }
    remove(partition, keys, options);
    removed += keys.length;
    await yieldToIo();
  }
  return removed;
}

/** Pages of the partition's tree: what it takes on the disk. */
function bytesOf(partition: Partition): number {
  const stats = partition.db.getStats() as Record<string, number>;
  const pages = (stats.treeBranchPageCount ?? 0) + (stats.treeLeafPageCount ?? 0) + (stats.overflowPages ?? 0);
  return pages * (stats.pageSize ?? 4_096);
}

function firstAppendedAt(partition: Partition): number | null {
  for (const { key, value } of partition.db.getRange({ limit: 1 })) {
    return readOffsetKey(key) === partition.next - 1 ? null : appendedAtOf(value);
  }
  return null;
}

function remove(partition: Partition, keys: readonly Buffer[], { transaction }: MaintenanceOptions): void {
  if (keys.length === 0) return;
  transaction(() => {
    for (const key of keys) partition.db.removeSync(key);
  });
}
