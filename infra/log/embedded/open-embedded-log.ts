import { mkdirSync } from 'node:fs';
import { type Database, open, type RootDatabase } from 'lmdb';
import {
  type AppendRecord,
  type EventLog,
  LogError,
  type LogRecord,
  type TopicPartition,
  type TopicStorage,
} from '../log.ts';
import { EmbeddedGroups } from './embedded-groups.ts';
import { EmbeddedReader } from './embedded-reader.ts';
import { maintain } from './maintenance.ts';
import { Partition, type PartitionDb } from './partition.ts';
import { appendedAtOf, offsetKey, packRecord, readOffsetKey } from './record-layout.ts';
import { claimFolder } from './single-writer.ts';

/** Named databases in one environment: one per partition, and room for topics to come. */
const DATABASES_MAX = 4_096;
/** A read-only process learns of foreign appends by looking this often. */
const FOREIGN_POLL_MS = 50;

export interface EmbeddedLogOptions {
  /** Folder of the environment; made if missing. */
  readonly path: string;
  /** Follows a log that another process writes. */
  readonly readOnly?: boolean;
  /** Upper bound of the file, for tests of a full log; grows by itself otherwise. */
  readonly mapSizeBytes?: number;
}

/** The event log in one LMDB environment. Rejects with `log_locked` when another process writes it. */
export async function openEmbeddedLog({ path, readOnly = false, mapSizeBytes }: EmbeddedLogOptions): Promise<EventLog> {
  mkdirSync(path, { recursive: true });
  const release = readOnly ? async () => {} : await claimFolder(path);
  const root = open({
    path,
    readOnly,
    maxDbs: DATABASES_MAX,
    keyEncoding: 'binary',
    encoding: 'binary',
    // A writable map turns a full disk into a bus error; with plain writes it is an error of the transaction.
    useWritemap: false,
    ...(mapSizeBytes ? { mapSize: mapSizeBytes } : {}),
  }) as RootDatabase<Buffer, Buffer>;
  const log = new EmbeddedLog(root, readOnly, release);
  log.load();
  return log;
}

class EmbeddedLog implements EventLog {
  private readonly root: RootDatabase<Buffer, Buffer>;
  private readonly topicDb: Database<TopicStorage, string>;
  private readonly release: () => Promise<void>;
  private readonly topics = new Map<string, TopicStorage>();
  private readonly partitions = new Map<string, Partition[]>();
  private readonly groups: EmbeddedGroups;
  private readonly foreignTimer: NodeJS.Timeout | null;
  private closed = false;

  constructor(root: RootDatabase<Buffer, Buffer>, readOnly: boolean, release: () => Promise<void>) {
    this.root = root;
    this.release = release;
    this.topicDb = root.openDB({ name: 'topics', encoding: 'json', keyEncoding: 'ordered-binary' });
    this.groups = new EmbeddedGroups(root, (topic) => this.partitionsOf(topic));
    this.foreignTimer = readOnly ? setInterval(() => this.lookForForeignAppends(), FOREIGN_POLL_MS) : null;
  }

  load(): void {
    for (const { value } of this.topicDb.getRange()) this.openTopic(value);
  }

  async createTopics(topics: readonly TopicStorage[]): Promise<void> {
    this.assertOpen();
    for (const { name, partitions, retention } of topics) {
      const known = this.topics.get(name);
      if (known && known.partitions !== partitions)
        throw new LogError('log_unknown_topic', `${name} has ${known.partitions} partitions, not ${partitions}`);
      if (known && JSON.stringify(known.retention) === JSON.stringify(retention)) continue;
      const storage = { name, partitions, retention };
      this.guard(() => this.topicDb.putSync(name, storage));
      if (known) this.topics.set(name, storage);
      else this.openTopic(storage);
    }
  }

  async append(records: readonly AppendRecord[]): Promise<void> {
    this.assertOpen();
    if (records.length === 0) return;
    const appendedAt = Date.now();
    const placed: LogRecord[] = [];
    const nexts = new Map<Partition, number>();
    for (const record of records) {
      const partition = this.partitionAt(record);
      const offset = nexts.get(partition) ?? partition.next;
      nexts.set(partition, offset + 1);
      placed.push({ ...record, offset, appendedAt });
    }
    this.guard(() =>
      this.root.transactionSync(() => {
        for (const record of placed) {
          this.partitionAt(record).db.putSync(offsetKey(record.offset), packRecord(record, appendedAt), {
            append: true,
          });
        }
      }),
    );
    for (const record of placed) this.partitionAt(record).remember(record);
    for (const partition of nexts.keys()) partition.notify();
  }

  advance(watermarks: readonly (TopicPartition & { readonly watermark: number })[]): void {
    for (const mark of watermarks) {
      const partition = this.partitionAt(mark);
      if (mark.watermark <= partition.watermark) continue;
      partition.watermark = mark.watermark;
      partition.notify();
    }
  }

  async reader(from: readonly (TopicPartition & { readonly offset: number })[]) {
    this.assertOpen();
    return new EmbeddedReader(from.map((at) => ({ partition: this.partitionAt(at), offset: at.offset })));
  }

  async group(groupId: string, topics: readonly string[]) {
    this.assertOpen();
    return this.groups.join(groupId, topics);
  }

  async bounds(at: TopicPartition) {
    const partition = this.partitionAt(at);
    return { first: partition.first(), next: partition.next };
  }

  async last(at: TopicPartition) {
    return this.partitionAt(at).lastRecord();
  }

  async offsetAt(at: TopicPartition, appendedAt: number) {
    const partition = this.partitionAt(at);
    // Append times never decrease by much, and never within one process: a binary search over offsets.
    let [low, high] = [partition.first(), partition.next];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const entry = firstFrom(partition.db, middle);
      if (entry && entry.offset < high && entry.appendedAt < appendedAt) low = entry.offset + 1;
      else high = middle;
    }
    return firstFrom(partition.db, low)?.offset ?? partition.next;
  }

  async clearTopic(topic: string) {
    this.assertOpen();
    for (const partition of this.partitionsOf(topic)) {
      this.guard(() => partition.db.clearSync());
      partition.forget();
      partition.next = 0;
      partition.watermark = Number.NEGATIVE_INFINITY;
    }
  }

  async maintain(now: number, limits: { readonly rawMaxAgeMs: number; readonly rawMaxBytes: number }) {
    this.assertOpen();
    return maintain({
      topics: [...this.topics.values()].map((storage) => ({ storage, partitions: this.partitionsOf(storage.name) })),
      now,
      limits,
      transaction: (work) => this.guard(() => this.root.transactionSync(work)),
      stopped: () => this.closed,
    });
  }

  async close() {
    if (this.closed) return;
    this.closed = true;
    if (this.foreignTimer) clearInterval(this.foreignTimer);
    await this.root.flushed;
    await this.root.close();
    await this.release();
  }

  private openTopic(storage: TopicStorage): void {
    this.topics.set(storage.name, storage);
    this.partitions.set(
      storage.name,
      Array.from({ length: storage.partitions }, (_, partition) => {
        const name = `${storage.name}/${partition}`;
        const db = this.root.openDB({ name, keyEncoding: 'binary', encoding: 'binary' }) as PartitionDb;
        return new Partition(storage.name, partition, db);
      }),
    );
  }

  private partitionsOf(topic: string): readonly Partition[] {
    const partitions = this.partitions.get(topic);
    if (!partitions) throw new LogError('log_unknown_topic', `there is no topic ${topic}`);
    return partitions;
  }

  private partitionAt({ topic, partition }: TopicPartition): Partition {
    const found = this.partitionsOf(topic)[partition];
    if (!found) throw new LogError('log_unknown_topic', `${topic} has no partition ${partition}`);
    return found;
  }

  private lookForForeignAppends(): void {
    this.root.resetReadTxn();
    for (const { key, value } of this.topicDb.getRange()) if (!this.topics.has(String(key))) this.openTopic(value);
    for (const partitions of this.partitions.values()) {
      for (const partition of partitions) {
        const next = (partition.lastRecord()?.offset ?? -1) + 1;
        if (next === partition.next) continue;
        partition.next = next;
        partition.notify();
      }
    }
  }

  private assertOpen(): void {
    if (this.closed) throw new LogError('log_closed', 'the log was closed');
  }

  /** Turns LMDB's errors into the port's. */
  private guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (/MDB_MAP_FULL|No space left|ENOSPC|Disk quota/i.test(text))
        throw new LogError('log_full', 'the log has no room left on its disk', { cause: error });
      if (/Input\/output error|EIO/i.test(text))
        throw new LogError('log_unavailable', 'the disk of the log fails', { cause: error });
      throw error;
    }
  }
}

function firstFrom(db: PartitionDb, offset: number): { offset: number; appendedAt: number } | null {
  for (const { key, value } of db.getRange({ start: offsetKey(offset), limit: 1 })) {
    return { offset: readOffsetKey(key), appendedAt: appendedAtOf(value) };
  }
  return null;
}
