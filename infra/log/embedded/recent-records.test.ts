import { describe, expect, it } from 'vitest';
import type { LogRecord } from '../log.ts';
import { Partition } from './partition.ts';
import { RecentRecords } from './recent-records.ts';

/** A partition with an empty disk: records can only be read from memory. */
function emptyPartition(topic: string): Partition {
  const nothing = { at: () => null, from: () => [], firstKey: () => null };
  return new Partition(topic, 0, nothing as never);
}

function records(partition: Partition, count: number, bytes = 10): LogRecord[] {
  const made = Array.from({ length: count }, (_, index) => ({
    topic: partition.topic,
    partition: 0,
    key: 'k',
    value: Buffer.alloc(bytes),
    receivedAt: 0,
    appendedAt: 0,
    seq: partition.next + index + 1,
    offset: partition.next + index,
  }));
  partition.next += count;
  return made;
}

const offsets = (partition: Partition, from: number) =>
  partition.read(from, 1_000_000, Number.MAX_SAFE_INTEGER).map(({ offset }) => offset);

describe('RecentRecords', () => {
  it('holds the newest records of all partitions together, and drops the oldest appends first', () => {
    const recent = new RecentRecords(10, 1e9);
    const [a, b] = [emptyPartition('a'), emptyPartition('b')];
    recent.add(a, records(a, 4));
    recent.add(b, records(b, 6));
    expect(offsets(a, 0)).toEqual([0, 1, 2, 3]);
    recent.add(a, records(a, 1));
    expect(offsets(a, 0)).toEqual([]);
    expect(offsets(a, 4)).toEqual([4]);
    expect(offsets(b, 2)).toEqual([2, 3, 4, 5]);
  });

  it('is limited by bytes as well', () => {
    const recent = new RecentRecords(1_000, 10_000);
    const a = emptyPartition('a');
    for (let batch = 0; batch < 5; batch += 1) recent.add(a, records(a, 2, 1_500));
    expect(offsets(a, 3)).toEqual([]);
    expect(offsets(a, 4)).toEqual([4, 5, 6, 7, 8, 9]);
  });

  it('uses at most twice the memory of its records', () => {
    const recent = new RecentRecords(100, 1e9);
    const a = emptyPartition('a');
    for (let batch = 0; batch < 500; batch += 1) {
      recent.add(a, records(a, 7));
      expect(a.recent.length).toBeLessThanOrEqual(220);
    }
    expect(offsets(a, 3_500 - 98)).toHaveLength(98);
  });

  it('drops no record that was appended after a partition was reset', () => {
    const recent = new RecentRecords(10, 1e9);
    const a = emptyPartition('a');
    recent.add(a, records(a, 8));
    a.forgetRecent();
    recent.add(a, records(a, 6));
    expect(offsets(a, 8)).toEqual([8, 9, 10, 11, 12, 13]);
  });

  it('returns at most the requested records and bytes, and at least one', () => {
    const recent = new RecentRecords();
    const a = emptyPartition('a');
    recent.add(a, records(a, 5, 1_000));
    expect(a.read(1, 2, 1e9).map(({ offset }) => offset)).toEqual([1, 2]);
    expect(a.read(0, 10, 2_500).map(({ offset }) => offset)).toEqual([0, 1]);
    expect(a.read(0, 10, 1).map(({ offset }) => offset)).toEqual([0]);
  });
});
