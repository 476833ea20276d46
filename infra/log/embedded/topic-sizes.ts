/** Sizes of the topics of an open log. */
import type { TopicSize } from '../log.ts';
import { readHeader } from './block-layout.ts';
import type { Partition } from './partition.ts';
import type { KnownTopic } from './topic-table.ts';

/** The size of a topic; of a compacted one, this reads every block. */
export function sizeOf({ storage, partitions }: KnownTopic): TopicSize {
  const isCompacted = storage.retention.kind === 'compacted';
  let [records, bytes] = [0, 0];
  let oldestAt: number | null = null;
  for (const partition of partitions) {
    records += isCompacted ? countRecords(partition) : partition.next - partition.first();
    bytes += partition.tree.bytes + partition.run.blocks.reduce((sum, { value }) => sum + value.length, 0);
    const oldest = partition.read(partition.first(), 1, Number.POSITIVE_INFINITY)[0];
    if (oldest) oldestAt = Math.min(oldestAt ?? oldest.appendedAt, oldest.appendedAt);
  }
  return { topic: storage.name, records, bytes, oldestAt };
}

/** Compaction leaves gaps between offsets, so the records of the blocks are counted. */
function countRecords(partition: Partition): number {
  let records = 0;
  let next = 0;
  for (const { value } of partition.blocksFrom(0)) {
    const { count, last } = readHeader(value);
    records += count;
    next = last.offset + 1;
  }
  // The first part of the run may be in the tree as well.
  for (const { header } of partition.run.blocks) if (header.last.offset >= next) records += header.count;
  return records;
}
