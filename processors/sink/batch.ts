import type { LogRecord, TopicPartition } from '#infra/log/log';
import { partitionName } from '#infra/log/partition-name';
import type { TableRow } from '#schemas/tables/declaration';
import { TABLES } from '#schemas/tables/index';
import { rowKey, type TableSpec } from '#schemas/tables/table';

/** A row and the record that it was made from. */
export interface BatchEntry {
  readonly row: TableRow;
  readonly record: LogRecord;
}

/** A record that cannot become a row, and the reason. */
export interface DeadEntry {
  readonly record: LogRecord;
  readonly reason: string;
  readonly detail: string;
}

function recordKey(record: LogRecord): string {
  return `${partitionName(record)}/${record.offset}`;
}

/** Everything that is written together: rows by table, dead letters, and the offsets to commit afterwards. */
export class Batch {
  /** Number of records, including superseded rows and dead letters. */
  records = 0;
  /** Bytes of the values of those records. */
  bytes = 0;
  readonly dead: DeadEntry[] = [];
  /** Wall time of the first record. */
  openedAt = 0;
  private readonly keepsEveryVersion: boolean;
  private readonly tables = new Map<TableSpec, Map<string, BatchEntry>>();
  /** The newest record of each partition. */
  private readonly newest = new Map<string, LogRecord>();

  /** @param options.keepsEveryVersion if true, all versions of a row are stored. */
  constructor({ keepsEveryVersion = false }: { readonly keepsEveryVersion?: boolean } = {}) {
    this.keepsEveryVersion = keepsEveryVersion;
  }

  /** Adds a row; of two versions of a row the greater one is stored. */
  add(table: TableSpec, row: TableRow, record: LogRecord): void {
    this.count(record);
    let rows = this.tables.get(table);
    if (!rows) {
      rows = new Map();
      this.tables.set(table, rows);
    }
    const key = this.keepsEveryVersion ? recordKey(record) : rowKey(table, row);
    const before = rows.get(key);
    if (!before || before.record.seq <= record.seq) rows.set(key, { row, record });
  }

  addDead(entry: DeadEntry): void {
    this.count(entry.record);
    this.dead.push(entry);
  }

  /** Counts a record that becomes no row. */
  skip(record: LogRecord): void {
    this.count(record);
  }

  /** Returns the rows of each table, in the order in which they are stored. */
  rows(): Iterable<readonly [TableSpec, BatchEntry[]]> {
    return [...this.tables]
      .sort(([a], [b]) => TABLES.indexOf(a) - TABLES.indexOf(b))
      .map(([table, rows]) => [table, [...rows.values()]] as const);
  }

  /** Returns the next offset to read of each partition. */
  nextOffsets(): (TopicPartition & { readonly offset: number })[] {
    return this.newestRecords().map(({ topic, partition, offset }) => ({ topic, partition, offset: offset + 1 }));
  }

  /** Returns the newest record of each partition. */
  newestRecords(): LogRecord[] {
    return [...this.newest.values()];
  }

  private count(record: LogRecord): void {
    if (this.records === 0) this.openedAt = Date.now();
    this.records += 1;
    this.bytes += record.value?.length ?? 0;
    const name = partitionName(record);
    const before = this.newest.get(name);
    if (!before || before.offset < record.offset) this.newest.set(name, record);
  }
}
