import {
  LogError,
  type LogReader,
  type LogRecord,
  type ReadBatch,
  type TopicPartition,
  type Watermark,
} from '../log.ts';
import { Notifier } from '../notifier.ts';
import { partitionName } from '../partition-name.ts';
import type { Partition, PartitionListener } from './partition.ts';

/** Values handed out by one poll; a single larger one is still handed out. */
const POLL_BYTES_MAX = 16 * 1024 * 1024;

export interface ReadFrom {
  readonly partition: Partition;
  readonly offset: number;
}

/** Where the reader stands in one partition. */
class Position implements PartitionListener {
  readonly partition: Partition;
  offset: number;
  paused = false;
  queued = false;
  toldWatermark = Number.NEGATIVE_INFINITY;
  private readonly reader: EmbeddedReader;

  constructor(reader: EmbeddedReader, { partition, offset }: ReadFrom) {
    this.reader = reader;
    this.partition = partition;
    this.offset = offset;
    partition.listeners.add(this);
  }

  onRecords(): void {
    this.reader.queue(this);
  }

  onWatermark(): void {
    if (this.reader.watermarks) this.reader.queue(this);
  }

  onClear(): void {
    this.offset = 0;
    this.toldWatermark = Number.NEGATIVE_INFINITY;
  }

  /** What the writer promised, once every record before the promise is delivered; null when that was told or is due later. */
  dueWatermark(): number | null {
    const { watermark, watermarkOffset } = this.partition;
    return this.offset >= watermarkOffset && watermark > this.toldWatermark ? watermark : null;
  }
}

/**
 * Reads partitions in turn. Appends and promises put a partition into the queue of the readers that follow it, and a
 * poll looks at nothing but its queue, so many readers of many quiet partitions cost nothing.
 */
export class EmbeddedReader implements LogReader {
  readonly watermarks: boolean;
  private readonly positions = new Map<string, Position>();
  /** Positions that may have something to deliver, in the order in which they get their turn. */
  private ready: Position[] = [];
  private readonly news = new Notifier();
  private fault: LogError | null = null;
  private readonly onClose: (reader: EmbeddedReader) => void;

  /** @param watermarks false when nobody asks for them: then they wake nobody. */
  constructor(
    from: readonly ReadFrom[],
    {
      watermarks = true,
      onClose = () => {},
    }: { watermarks?: boolean; onClose?: (reader: EmbeddedReader) => void } = {},
  ) {
    this.watermarks = watermarks;
    this.onClose = onClose;
    this.assign(from);
  }

  async poll(maxRecords: number, timeoutMs: number): Promise<ReadBatch> {
    return this.news.poll(() => this.gather(maxRecords), timeoutMs);
  }

  pause(at: TopicPartition, paused: boolean): void {
    const position = this.positions.get(partitionName(at));
    if (!position) throw new LogError('log_unknown_topic', `this reader does not read ${partitionName(at)}`);
    position.paused = paused;
    if (!paused) this.queue(position);
  }

  async close(): Promise<void> {
    this.stop(new LogError('log_closed', 'the reader was closed'));
  }

  /** Ends the reader: a waiting poll, and every later one, rejects with this error. */
  stop(fault: LogError): void {
    if (this.fault) return;
    this.fault = fault;
    for (const position of this.positions.values()) position.partition.listeners.delete(position);
    this.positions.clear();
    this.ready = [];
    this.news.tell();
    this.onClose(this);
  }

  /** Reads these partitions from now on; one that it reads already goes on where it stands. */
  assign(from: readonly ReadFrom[]): void {
    const names = new Set(from.map(({ partition }) => partition.name));
    for (const [name, position] of this.positions) {
      if (names.has(name)) continue;
      position.partition.listeners.delete(position);
      this.positions.delete(name);
    }
    this.ready = this.ready.filter(({ partition }) => names.has(partition.name));
    for (const entry of from) {
      if (this.positions.has(entry.partition.name)) continue;
      const position = new Position(this, entry);
      this.positions.set(entry.partition.name, position);
      this.queue(position);
    }
  }

  /** Gives a position its turn in one of the next polls. */
  queue(position: Position): void {
    if (position.queued) return;
    if (!position.paused) this.news.tell();
    position.queued = true;
    this.ready.push(position);
  }

  /** Takes turns until the batch is full or every queued position had its turn. */
  private gather(maxRecords: number): ReadBatch {
    if (this.fault) throw this.fault;
    const records: LogRecord[] = [];
    const watermarks: Watermark[] = [];
    const turns = this.ready;
    this.ready = [];
    // An equal share each, so that one busy partition cannot starve the others; who has more stays in the queue.
    const share = Math.max(1, Math.floor(maxRecords / Math.max(1, turns.length)));
    let bytesLeft = POLL_BYTES_MAX;
    for (const position of turns) {
      const room = bytesLeft > 0 ? Math.min(share, maxRecords - records.length) : 0;
      bytesLeft -= this.takeTurn(position, room, bytesLeft, records, watermarks);
    }
    return { records, watermarks };
  }

  /** Bytes of the values that the turn gave. */
  private takeTurn(
    position: Position,
    room: number,
    bytesLeft: number,
    records: LogRecord[],
    watermarks: Watermark[],
  ): number {
    const { partition } = position;
    position.queued = false;
    // Resuming puts it back into the queue.
    if (position.paused) return 0;
    let bytes = 0;
    if (room > 0 && position.offset < partition.next) {
      const read = partition.read(position.offset, room, bytesLeft);
      for (const record of read) {
        bytes += record.value?.length ?? 0;
        records.push(record);
      }
      const last = read[read.length - 1];
      // Nothing left at or after the offset: compaction took what was there.
      position.offset = last ? last.offset + 1 : partition.next;
    }
    const watermark = position.dueWatermark();
    if (watermark !== null && this.watermarks) {
      position.toldWatermark = watermark;
      watermarks.push({ topic: partition.topic, partition: partition.partition, watermark });
    }
    if (position.offset < partition.next) {
      position.queued = true;
      this.ready.push(position);
    }
    return bytes;
  }
}
