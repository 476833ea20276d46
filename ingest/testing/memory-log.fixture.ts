/** An event log in memory for tests of ingest, with its appends, its watermarks, and errors on demand. */
import {
  type AppendRecord,
  type EventLog,
  LogError,
  type LogRecord,
  type ReadBatch,
  type TopicPartition,
} from '#infra/log/log';

/** How often a reader that waits looks for records, by default. */
const POLL_MS = 5;

const keyOf = (at: TopicPartition) => `${at.topic}/${at.partition}`;

export class MemoryLog implements EventLog {
  readonly partitions = new Map<string, LogRecord[]>();
  readonly watermarks = new Map<string, number>();
  readonly batches: AppendRecord[][] = [];
  /** Thrown by `append` while set. */
  fault: LogError | null = null;
  /** Appends that were refused by `fault`. */
  refused = 0;
  private readonly pollMs: number;

  constructor({ pollMs = POLL_MS } = {}) {
    this.pollMs = pollMs;
  }

  async createTopics(): Promise<void> {}

  async append(records: readonly AppendRecord[]): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.fault) {
      this.refused += 1;
      throw this.fault;
    }
    for (const record of records) {
      const name = keyOf(record);
      const stored = this.partitions.get(name) ?? [];
      this.partitions.set(name, stored);
      const before = stored.at(-1);
      if (before && record.receivedAt < before.receivedAt) throw new Error(`${name} gets a record with a lower time`);
      if (record.receivedAt < (this.watermarks.get(name) ?? Number.NEGATIVE_INFINITY))
        throw new Error(`${name} gets ${record.receivedAt} below its watermark ${this.watermarks.get(name)}`);
      if (before && record.seq !== 0 && record.seq !== before.seq + 1)
        throw new Error(`${name} skips from ${before.seq} to ${record.seq}`);
      stored.push({ ...record, offset: stored.length, appendedAt: Date.now() });
    }
    this.batches.push([...records]);
  }

  advance(watermarks: readonly (TopicPartition & { watermark: number })[]): void {
    for (const mark of watermarks) this.watermarks.set(keyOf(mark), mark.watermark);
  }

  async sizes() {
    return [];
  }

  async lease() {
    const promisedUntil = Number.NEGATIVE_INFINITY;
    return { lost: new Promise<never>(() => {}), promisedUntil, release: async () => {} };
  }

  async reader(from: readonly (TopicPartition & { offset: number })[]) {
    const offsets = new Map(from.map((at) => [keyOf(at), at.offset]));
    return {
      poll: async (maxRecords: number, timeoutMs: number): Promise<ReadBatch> => {
        const records: LogRecord[] = [];
        for (const [name, offset] of offsets) {
          const found = (this.partitions.get(name) ?? []).slice(offset, offset + maxRecords - records.length);
          records.push(...found);
          offsets.set(name, offset + found.length);
        }
        // A reader that found nothing must not keep timers and sockets from their turns.
        if (records.length === 0) await new Promise((resolve) => setTimeout(resolve, Math.min(timeoutMs, this.pollMs)));
        return { records, watermarks: [] };
      },
      pause: () => {},
      endWaits: () => {},
      close: async () => {},
    };
  }

  group(): never {
    throw new Error('not needed by ingest');
  }

  committed(): never {
    throw new Error('not needed by ingest');
  }

  async bounds(at: TopicPartition) {
    return { first: 0, next: this.partitions.get(keyOf(at))?.length ?? 0 };
  }

  async last(at: TopicPartition): Promise<LogRecord | null> {
    return this.partitions.get(keyOf(at))?.at(-1) ?? null;
  }

  async recordFrom(at: TopicPartition & { readonly offset: number }): Promise<LogRecord | null> {
    return this.partitions.get(keyOf(at))?.find(({ offset }) => offset >= at.offset) ?? null;
  }

  async offsetAt(): Promise<number> {
    return 0;
  }

  async clearTopic(topic: string): Promise<void> {
    for (const name of this.partitions.keys()) if (name.startsWith(`${topic}/`)) this.partitions.delete(name);
  }

  async maintain(): Promise<number> {
    return 0;
  }

  async close(): Promise<void> {}

  /** The records of a topic in every partition, in merged order. */
  of(topic: string): LogRecord[] {
    return [...this.partitions]
      .filter(([name]) => name.startsWith(`${topic}/`))
      .flatMap(([, records]) => records)
      .sort((a, b) => a.receivedAt - b.receivedAt || a.partition - b.partition || a.offset - b.offset);
  }
}

export const logFull = () => new LogError('log_full', 'no room on the disk');
