import type { Logger } from 'pino';
import type { AppendRecord, TopicPartition, Watermark } from '../log.ts';
import { partitionName } from '../partition-name.ts';
import type { Bounds } from './point-reads.ts';
import type { Promised, WatermarkBoard } from './watermark-board.ts';
import { encodeWatermarks, REPEAT_MS, WATERMARKS_AT } from './watermark-topic.ts';

export interface WatermarkWriterOptions {
  readonly board: WatermarkBoard;
  /** Unique name of this writer. */
  readonly writerId: string;
  readonly intervalMs: number;
  readonly append: (records: readonly AppendRecord[]) => Promise<void>;
  readonly bounds: (at: TopicPartition) => Promise<Bounds>;
  readonly logger: Logger | undefined;
}

/** Collects this process's promises and appends them at intervals; readers of this process receive them immediately. */
export class WatermarkWriter {
  private readonly options: WatermarkWriterOptions;
  /** Offset after the last record that this process appended, or that existed when it first made a promise. */
  private readonly ends = new Map<string, number>();
  private readonly promised = new Map<string, Promised>();
  private changed = new Map<string, Promised>();
  /** Promises about partitions whose end is being queried. */
  private readonly awaitingEnd = new Map<string, Watermark>();
  private cleared: string[] = [];
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> = Promise.resolve();
  private repeatedAt = 0;
  private closed = false;

  constructor(options: WatermarkWriterOptions) {
    this.options = options;
  }

  /** Records the end of a partition after an append. */
  appended(at: TopicPartition, next: number): void {
    this.ends.set(partitionName(at), next);
  }

  advance(watermarks: readonly Watermark[]): void {
    for (const mark of watermarks) {
      const key = partitionName(mark);
      if (mark.watermark <= (this.promised.get(key)?.watermark ?? Number.NEGATIVE_INFINITY)) continue;
      const end = this.ends.get(key);
      if (end !== undefined) this.promise(key, mark, end);
      else if (!this.awaitingEnd.has(key)) this.findEnd(key, mark);
      else if (mark.watermark > this.awaitingEnd.get(key)!.watermark) this.awaitingEnd.set(key, mark);
    }
  }

  /** Informs all readers that a topic was cleared. */
  async clear(topic: string): Promise<void> {
    for (const [key, promised] of this.promised) {
      if (promised.topic !== topic) continue;
      this.promised.delete(key);
      this.changed.delete(key);
    }
    this.options.board.forget(topic);
    this.cleared.push(topic);
    this.start();
    await this.write();
  }

  /** Writes the pending promises. */
  async close(): Promise<void> {
    this.stop();
    await this.write();
  }

  /** Stops writing. */
  stop(): void {
    this.closed = true;
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  private promise(key: string, { topic, partition, watermark }: Watermark, from: number): void {
    const promised = { topic, partition, watermark, from };
    this.promised.set(key, promised);
    this.changed.set(key, promised);
    this.options.board.put(promised);
    this.start();
  }

  /** Queries the end of a partition to which this process has not appended. */
  private findEnd(key: string, mark: Watermark): void {
    this.awaitingEnd.set(key, mark);
    this.options.bounds(mark).then(
      ({ next }) => {
        const newest = this.awaitingEnd.get(key)!;
        this.awaitingEnd.delete(key);
        if (!this.ends.has(key)) this.ends.set(key, next);
        this.promise(key, newest, this.ends.get(key)!);
      },
      (error) => {
        // The next promise queries again.
        this.awaitingEnd.delete(key);
        if (!this.closed)
          this.options.logger?.warn(
            { error, partition: key },
            'could not query the end of a partition for its watermark',
          );
      },
    );
  }

  private start(): void {
    if (this.timer || this.closed) return;
    this.timer = setInterval(() => void this.write(), this.options.intervalMs);
  }

  /** Writes one record at a time; later changes are in the next one. */
  private write(): Promise<void> {
    this.writing = this.writing.then(() => this.writeOnce());
    return this.writing;
  }

  private async writeOnce(): Promise<void> {
    const repeat = Date.now() - this.repeatedAt >= REPEAT_MS && this.promised.size > 0;
    if (this.changed.size === 0 && this.cleared.length === 0 && !repeat) return;
    const promises = [...(repeat ? this.promised : this.changed).values()];
    const cleared = this.cleared;
    this.changed = new Map();
    this.cleared = [];
    if (repeat) this.repeatedAt = Date.now();
    const value = encodeWatermarks(promises, cleared);
    try {
      await this.options.append([{ ...WATERMARKS_AT, key: this.options.writerId, value, receivedAt: 0, seq: 0 }]);
    } catch (error) {
      // The next record contains all of it again.
      this.repeatedAt = 0;
      this.cleared.push(...cleared);
      if (!this.closed) this.options.logger?.warn({ error }, 'could not write watermarks');
    }
  }
}
