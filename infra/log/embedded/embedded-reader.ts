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

/** Bytes of values returned by one poll; a single larger one is returned nevertheless. */
const POLL_BYTES_MAX = 16 * 1024 * 1024;

export interface ReadFrom {
  readonly partition: Partition;
  readonly offset: number;
}

/** The position of a reader in one partition. */
class Position implements PartitionListener {
  readonly partition: Partition;
  offset: number;
  paused = false;
  queued = false;
  deliveredWatermark = Number.NEGATIVE_INFINITY;
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
    this.deliveredWatermark = Number.NEGATIVE_INFINITY;
  }

  /** The watermark to deliver now; null if it was delivered, or if records before it were not. */
  dueWatermark(): number | null {
    const { watermark, watermarkOffset } = this.partition;
    return this.offset >= watermarkOffset && watermark > this.deliveredWatermark ? watermark : null;
  }
}

/**
 * Reads partitions in turn. Appends and promises put a partition into the queue of its readers, and a poll looks only
 * at its queue, so many readers of many quiet partitions cost nothing.
 */
export class EmbeddedReader implements LogReader {
  readonly watermarks: boolean;
  private readonly positions = new Map<string, Position>();
  /** Positions that may have something to deliver, in the order of their turns. */
  private ready: Position[] = [];
  private readonly notifier = new Notifier();
  private fault: LogError | null = null;
  private readonly onClose: (reader: EmbeddedReader) => void;

  /** @param watermarks false if they are not needed: then they do not end polls. */
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
    return this.notifier.poll(() => this.gather(maxRecords), timeoutMs);
  }

  pause(at: TopicPartition, paused: boolean): void {
    const position = this.positions.get(partitionName(at));
    if (!position) throw new LogError('log_unknown_topic', `this reader does not read ${partitionName(at)}`);
    position.paused = paused;
    if (!paused) this.queue(position);
  }

  endWaits(): void {
    this.notifier.endWaits();
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
    this.notifier.notify();
    this.onClose(this);
  }

  /** Reads these partitions from now on; one that is already read continues at its position. */
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

  /** Queues a position for one of the next polls. */
  queue(position: Position): void {
    if (position.queued) return;
    if (!position.paused) this.notifier.notify();
    position.queued = true;
    this.ready.push(position);
  }

  /** Serves the queued positions until the batch is full or each was served. */
  private gather(maxRecords: number): ReadBatch {
    if (this.fault) throw this.fault;
    const records: LogRecord[] = [];
    const watermarks: Watermark[] = [];
    const turns = this.ready;
    this.ready = [];
    // An equal share each, so that one busy partition cannot starve the others; positions with more records stay in the
    // queue.
    const share = Math.max(1, Math.floor(maxRecords / Math.max(1, turns.length)));
    let bytesLeft = POLL_BYTES_MAX;
    for (const position of turns) {
      const room = bytesLeft > 0 ? Math.min(share, maxRecords - records.length) : 0;
      bytesLeft -= this.takeTurn(position, room, bytesLeft, records, watermarks);
    }
    return { records, watermarks };
  }

  /** Serves one position; returns the bytes of the returned values. */
  private takeTurn(
    position: Position,
    room: number,
    bytesLeft: number,
    records: LogRecord[],
    watermarks: Watermark[],
  ): number {
    const { partition } = position;
    position.queued = false;
    // Resuming queues it again.
    if (position.paused) return 0;
    let bytes = 0;
    if (room > 0 && position.offset < partition.next) {
      const read = partition.read(position.offset, room, bytesLeft);
      for (const record of read) {
        bytes += record.value?.length ?? 0;
        records.push(record);
      }
      const last = read[read.length - 1];
      // Nothing is left at or after the offset: compaction removed it.
      position.offset = last ? last.offset + 1 : partition.next;
    }
    const watermark = position.dueWatermark();
    if (watermark !== null && this.watermarks) {
      position.deliveredWatermark = watermark;
      watermarks.push({ topic: partition.topic, partition: partition.partition, watermark });
    }
    if (position.offset < partition.next) {
      position.queued = true;
      this.ready.push(position);
    }
    return bytes;
  }
}
