import {
  LogError,
  type LogReader,
  type LogRecord,
  type ReadBatch,
  type TopicPartition,
  type Watermark,
} from '../log.ts';
import type { Partition } from './partition.ts';

interface Position {
  readonly partition: Partition;
  offset: number;
  toldWatermark: number;
  paused: boolean;
}

/** Reads partitions in turn; looks only at those that something was appended to since it was last at their end. */
export class EmbeddedReader implements LogReader {
  private readonly positions: Position[];
  /** Positions with something to deliver, as far as is known. */
  private dirty: Set<Position>;
  private readonly unlisten: () => void;
  private wake: (() => void) | null = null;
  private closed = false;

  constructor(from: readonly { readonly partition: Partition; readonly offset: number }[]) {
    this.positions = from.map(({ partition, offset }) => ({
      partition,
      offset,
      toldWatermark: Number.NEGATIVE_INFINITY,
      paused: false,
    }));
    this.dirty = new Set(this.positions);
    const listeners = this.positions.map((position) => {
      const listener = () => this.mark(position);
      position.partition.listeners.add(listener);
      return () => position.partition.listeners.delete(listener);
    });
    this.unlisten = () => {
      for (const remove of listeners) remove();
    };
  }

  async poll(maxRecords: number, timeoutMs: number): Promise<ReadBatch> {
    const now = this.gather(maxRecords);
    if (now.records.length > 0 || now.watermarks.length > 0 || timeoutMs === 0) return now;
    await this.waitForNews(timeoutMs);
    return this.gather(maxRecords);
  }

  pause(at: TopicPartition, paused: boolean): void {
    const position = this.positions.find(
      ({ partition }) => partition.topic === at.topic && partition.partition === at.partition,
    );
    if (!position) throw new LogError('log_unknown_topic', `this reader does not read ${at.topic}/${at.partition}`);
    position.paused = paused;
    if (!paused) this.mark(position);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.unlisten();
    this.wake?.();
  }

  private mark(position: Position): void {
    this.dirty.add(position);
    if (!position.paused) this.wake?.();
  }

  private waitForNews(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.wake = null;
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.wake = done;
    });
  }

  private gather(maxRecords: number): ReadBatch {
    if (this.closed) throw new LogError('log_closed', 'the reader was closed');
    const records: LogRecord[] = [];
    const watermarks: Watermark[] = [];
    const waiting = [...this.dirty];
    // An equal share each, so that one busy partition cannot starve the others.
    const share = Math.max(1, Math.floor(maxRecords / Math.max(1, waiting.length)));
    for (const position of waiting) {
      if (position.paused) continue;
      const { partition } = position;
      const room = Math.min(share, maxRecords - records.length);
      const read = room > 0 && position.offset < partition.next ? partition.read(position.offset, room) : [];
      for (const record of read) records.push(record);
      const last = read.at(-1);
      if (last) position.offset = last.offset + 1;
      else if (room > 0) position.offset = Math.max(position.offset, partition.next);
      if (position.offset < partition.next) continue;
      this.dirty.delete(position);
      if (partition.watermark > position.toldWatermark) {
        position.toldWatermark = partition.watermark;
        watermarks.push({ topic: partition.topic, partition: partition.partition, watermark: partition.watermark });
      }
    }
    return { records, watermarks };
  }
}
