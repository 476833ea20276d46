/**
 * Holds records back whose rows state something about rows of other tables (`TableSpec.after`), until everything is read
 * that the topics of these tables held when the record was read. A poll may return such a record before the others that
 * a stage appended together with it, and another member of the group may read those.
 */
import type { EventLog, LogRecord, TopicPartition } from '#infra/log/log';
import { partitionName } from '#infra/log/partition-name';
import { partitionsOf } from '#infra/stages/stage-topics';
import { TABLES } from '#schemas/tables/index';
import { SINK_GROUP } from '#schemas/tables/sink-group';
import type { TableSpec } from '#schemas/tables/table';
import type { Persistence } from './persistence.ts';
import { TABLE_TOPICS } from './table-topics.ts';

/** Records are released after this time without progress: the member that reads the others may have stopped. */
const HELD_MS_MAX = 60_000;
/** The oldest records beyond this number are released in any case. */
const HELD_MAX = 10_000;

/** How far a partition must be read. */
interface End extends TopicPartition {
  readonly next: number;
}

/** Records of one table that one poll returned. */
interface Group {
  readonly records: readonly LogRecord[];
  readonly newestAt: number;
  readonly ends: readonly End[];
  readonly heldAt: number;
}

/** How far a partition was read or committed, and when that was last seen to increase. */
interface Progress {
  readonly next: number;
  readonly at: number;
}

export interface HeldRecordsOptions {
  readonly log: Pick<EventLog, 'last' | 'committed'>;
  readonly persistence: Persistence;
  /** Monotonic ms. */
  readonly now?: () => number;
}

export class HeldRecords {
  private readonly log: HeldRecordsOptions['log'];
  private readonly persistence: Persistence;
  private readonly now: () => number;
  /** The newest record that was read of each partition. */
  private readonly read = new Map<string, { readonly next: number; readonly receivedAt: number }>();
  /** Groups of each table, oldest first: the records of a partition stay in order. */
  private readonly groups = new Map<TableSpec, Group[]>();
  private readonly progress = new Map<string, Progress>();
  private count = 0;

  constructor({ log, persistence, now = () => performance.now() }: HeldRecordsOptions) {
    this.log = log;
    this.persistence = persistence;
    this.now = now;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Adds the records of a poll. Resolves with those, of this poll and of earlier ones, that may be stored. */
  async add(records: readonly LogRecord[]): Promise<readonly LogRecord[]> {
    const free: LogRecord[] = [];
    const held = new Map<TableSpec, LogRecord[]>();
    for (const record of records) {
      this.read.set(partitionName(record), { next: record.offset + 1, receivedAt: record.receivedAt });
      const table = TABLE_TOPICS.get(record.topic)?.table;
      if (!table?.after) free.push(record);
      else if (held.has(table)) held.get(table)!.push(record);
      else held.set(table, [record]);
    }
    for (const [table, own] of held) await this.hold(table, own);
    return this.count === 0 ? free : [...free, ...(await this.release())];
  }

  private async hold(table: TableSpec, records: readonly LogRecord[]): Promise<void> {
    const topics = TABLES.filter(({ name }) => table.after!.includes(name)).flatMap(({ fromTopics }) => fromTopics);
    const partitions = partitionsOf(topics).map(({ at }) => at);
    const lasts = await this.persistence.run(() => Promise.all(partitions.map((at) => this.log.last(at))));
    const ends = partitions.flatMap((at, nth): End[] => {
      const last = lasts[nth];
      return last ? [{ ...at, next: last.offset + 1 }] : [];
    });
    const newestAt = Math.max(...records.map(({ receivedAt }) => receivedAt));
    const groups = this.groups.get(table) ?? [];
    this.groups.set(table, groups);
    groups.push({ records, newestAt, ends, heldAt: this.now() });
    this.count += records.length;
  }

  private async release(): Promise<readonly LogRecord[]> {
    const released: LogRecord[] = [];
    for (const groups of this.groups.values()) {
      while (groups[0] && (await this.isReleased(groups[0]))) {
        const { records } = groups.shift()!;
        this.count -= records.length;
        released.push(...records);
      }
    }
    return released;
  }

  private async isReleased(group: Group): Promise<boolean> {
    const { ends, newestAt } = group;
    if (this.count > HELD_MAX) return true;
    const unread = ends.filter((end) => {
      const read = this.read.get(partitionName(end));
      // The times of a partition do not decrease, so a later record is behind everything of that time.
      return !read || (read.next < end.next && read.receivedAt <= newestAt);
    });
    if (unread.length === 0) return true;
    const committed = await this.persistence.run(() => this.log.committed(SINK_GROUP, unread));
    const late = unread.filter(({ next }, at) => (committed[at] ?? 0) < next);
    if (late.length === 0) return true;
    const progressAt = late.map((end) => this.progressOf(end, committed[unread.indexOf(end)] ?? 0).at);
    return this.now() - Math.max(group.heldAt, ...progressAt) >= HELD_MS_MAX;
  }

  private progressOf(at: TopicPartition, committed: number): Progress {
    const name = partitionName(at);
    const next = Math.max(this.read.get(name)?.next ?? 0, committed);
    const known = this.progress.get(name);
    if (known && known.next >= next) return known;
    const progress = { next, at: this.now() };
    this.progress.set(name, progress);
    return progress;
  }
}
