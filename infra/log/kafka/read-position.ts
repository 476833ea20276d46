import type { LogRecord, TopicPartition } from '../log.ts';
import { partitionName } from '../partition-name.ts';
import { bytesOf } from '../record-size.ts';
import type { Fetched, FetchFrom } from './connection.ts';
import { fromMessage } from './record-mapping.ts';
import type { Promised } from './watermark-board.ts';

/** Fetched and not yet polled, of one partition: no more is asked for above either. */
const RECORDS_MAX = 8_192;
const BYTES_MAX = 1024 * 1024;

/** Where a reader stands in one partition, and what it has fetched ahead. */
export class ReadPosition implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  readonly name: string;
  /** Next offset to ask the broker for. */
  fetchOffset: number;
  paused = false;
  /** Node that leads the partition. */
  leader = '';
  /** The last answer held nothing although there is something: ask for this one alone, and whole. */
  alone = false;
  toldWatermark = Number.NEGATIVE_INFINITY;
  queuedBytes = 0;
  private queue: LogRecord[] = [];
  private head = 0;
  /** Everything below was handed out. */
  private delivered: number;
  /** Highest `receivedAt` handed out: a writer never goes below what it wrote. */
  private reached = Number.NEGATIVE_INFINITY;

  constructor({ topic, partition, offset }: FetchFrom) {
    this.topic = topic;
    this.partition = partition;
    this.name = partitionName({ topic, partition });
    this.fetchOffset = offset;
    this.delivered = offset;
  }

  get isEmpty(): boolean {
    return this.head === this.queue.length;
  }

  get wantsMore(): boolean {
    return this.queue.length - this.head < RECORDS_MAX && this.queuedBytes < BYTES_MAX;
  }

  /** Hands out up to `max` records. */
  hand(max: number, into: LogRecord[]): void {
    const end = Math.min(this.queue.length, this.head + max);
    for (; this.head < end; this.head += 1) {
      const record = this.queue[this.head]!;
      this.queuedBytes -= bytesOf(record);
      this.delivered = record.offset + 1;
      if (record.receivedAt > this.reached) this.reached = record.receivedAt;
      into.push(record);
    }
    if (!this.isEmpty) return;
    this.queue = [];
    this.head = 0;
    // Offsets that compaction left empty need no delivery.
    this.delivered = Math.max(this.delivered, this.fetchOffset);
  }

  /** How far the partition is known to be complete, given what its writer promised. */
  watermark(promised: Promised | undefined): number {
    if (!promised || promised.from > this.delivered) return this.reached;
    return Math.max(this.reached, promised.watermark);
  }

  /** Takes an answer of the broker into the queue; true when there may be something to tell. */
  take({ messages, highWatermark }: Fetched): boolean {
    let taken = 0;
    for (const message of messages) {
      const { firstOffset, lastOffsetDelta } = message.batchContext;
      const offset = Number(message.offset);
      // A broker answers with whole batches: what is before the asked offset was had already.
      if (offset < this.fetchOffset) continue;
      taken += 1;
      const batchEnd = Number(firstOffset) + lastOffsetDelta + 1;
      this.fetchOffset = message === messages.at(-1) ? Math.max(offset + 1, batchEnd) : offset + 1;
      if (message.isControlRecord) continue;
      const record = fromMessage(this.topic, this.partition, message);
      this.queue.push(record);
      this.queuedBytes += bytesOf(record);
    }
    const unread = Number(highWatermark) > this.fetchOffset;
    if (taken === 0 && unread) {
      // Either the answer was full, or all of this batch was compacted away and the next offset is to be asked for.
      if (this.alone) this.fetchOffset += 1;
      this.alone = true;
      return false;
    }
    const told = taken > 0 || this.alone;
    this.alone = false;
    return told;
  }

  /** Retention or a rebuild removed what was still to be read: goes on inside these bounds. True when it had to move. */
  moveInto({ first, next }: { readonly first: number; readonly next: number }): boolean {
    const inside = Math.min(next, Math.max(first, this.fetchOffset));
    if (inside === this.fetchOffset) return false;
    this.fetchOffset = inside;
    if (inside < this.delivered) this.delivered = inside;
    return true;
  }
}
