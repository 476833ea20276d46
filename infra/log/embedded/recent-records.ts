import type { LogRecord } from '../log.ts';
import type { Partition } from './partition.ts';

/** Maximum number of newest records in memory, for all partitions together. */
const RECORDS_MAX = 32_768;
const BYTES_MAX = 16 * 1024 * 1024;
/** Overhead of a record in memory, besides key and value. */
const RECORD_BYTES = 150;
/** Dropped runs that the list may contain before it is rewritten. */
const DROPPED_MAX = 1_024;

interface Run {
  readonly partition: Partition;
  readonly version: number;
  readonly records: number;
  readonly bytes: number;
}

/**
 * Holds the newest records of all partitions in memory and drops the oldest appends first: readers at the end of a
 * partition share them and never use the disk.
 */
export class RecentRecords {
  private readonly recordsMax: number;
  private readonly bytesMax: number;
  private runs: Run[] = [];
  private next = 0;
  private records = 0;
  private bytes = 0;

  constructor(recordsMax = RECORDS_MAX, bytesMax = BYTES_MAX) {
    this.recordsMax = recordsMax;
    this.bytesMax = bytesMax;
  }

  /** Adds records that were just appended to a partition, in offset order. */
  add(partition: Partition, records: readonly LogRecord[]): void {
    let bytes = 0;
    for (const record of records) {
      partition.recent.push(record);
      bytes += RECORD_BYTES + record.key.length + (record.value?.length ?? 0);
    }
    this.runs.push({ partition, version: partition.recentVersion, records: records.length, bytes });
    this.records += records.length;
    this.bytes += bytes;
    while (this.records > this.recordsMax || this.bytes > this.bytesMax) this.dropOldest();
  }

  private dropOldest(): void {
    const run = this.runs[this.next]!;
    this.next += 1;
    this.records -= run.records;
    this.bytes -= run.bytes;
    if (this.next > DROPPED_MAX) {
      this.runs = this.runs.slice(this.next);
      this.next = 0;
    }
    const { partition } = run;
    if (partition.recentVersion !== run.version) return;
    partition.recentHead += run.records;
    // Rewritten when half of it is dropped: rarely enough to cost little, often enough to release memory.
    if (partition.recentHead * 2 < partition.recent.length) return;
    partition.recent = partition.recent.slice(partition.recentHead);
    partition.recentHead = 0;
  }
}
