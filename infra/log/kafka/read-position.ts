import type { LogRecord, TopicPartition } from '../log.ts';
import { partitionName } from '../partition-name.ts';
import { bytesOf } from '../record-size.ts';
import type { Fetched, FetchFrom } from './connection.ts';
import { fromMessage } from './record-mapping.ts';
import type { Promised } from './watermark-board.ts';

/** Limits for records of one partition that were fetched and not polled; above them no more are fetched. */
const RECORDS_MAX = 8_192;
const BYTES_MAX = 1024 * 1024;

/** The position of a reader in one partition, and its prefetched records. */
export class ReadPosition implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  readonly name: string;
  /** Next offset to fetch. */
  fetchOffset: number;
  paused = false;
  /** Node that leads the partition. */
  leader = '';
  /** The last answer was empty although there are records: fetch this partition alone, with a larger limit. */
  alone = false;
  deliveredWatermark = Number.NEGATIVE_INFINITY;
  queuedBytes = 0;
  private queue: LogRecord[] = [];
  private next = 0;
  /** Every offset below was delivered. */
  private delivered: number;
  /** Highest delivered `receivedAt`: a writer never goes below it. */
  private highestReceivedAt = Number.NEGATIVE_INFINITY;

  constructor({ topic, partition, offset }: FetchFrom) {
    this.topic = topic;
    this.partition = partition;
    this.name = partitionName({ topic, partition });
    this.fetchOffset = offset;
    this.delivered = offset;
  }

  get isEmpty(): boolean {
    return this.next === this.queue.length;
  }

  get wantsMore(): boolean {
    return this.queue.length - this.next < RECORDS_MAX && this.queuedBytes < BYTES_MAX;
  }

  /** Moves up to `max` records into `into`. */
  drainInto(max: number, into: LogRecord[]): void {
    const end = Math.min(this.queue.length, this.next + max);
    for (; this.next < end; this.next += 1) {
      const record = this.queue[this.next]!;
      this.queuedBytes -= bytesOf(record);
      this.delivered = record.offset + 1;
      if (record.receivedAt > this.highestReceivedAt) this.highestReceivedAt = record.receivedAt;
      into.push(record);
    }
    if (!this.isEmpty) return;
    this.queue = [];
    this.next = 0;
    // Offsets removed by compaction need no delivery.
    this.delivered = Math.max(this.delivered, this.fetchOffset);
  }

  /** Returns the time up to which the partition is known to be complete, given its writer's promise. */
  watermark(promised: Promised | undefined): number {
    if (!promised || promised.from > this.delivered) return this.highestReceivedAt;
    return Math.max(this.highestReceivedAt, promised.watermark);
  }

  /** Queues the records of an answer; returns true if there may be something to deliver. */
  accept({ messages, highWatermark }: Fetched): boolean {
    let accepted = 0;
    for (const message of messages) {
      const { firstOffset, lastOffsetDelta } = message.batchContext;
      const offset = Number(message.offset);
      // A broker returns complete batches: records before the requested offset were delivered already.
      if (offset < this.fetchOffset) continue;
      accepted += 1;
      const batchEnd = Number(firstOffset) + lastOffsetDelta + 1;
      this.fetchOffset = message === messages.at(-1) ? Math.max(offset + 1, batchEnd) : offset + 1;
      if (message.isControlRecord) continue;
      const record = fromMessage(this.topic, this.partition, message);
      this.queue.push(record);
      this.queuedBytes += bytesOf(record);
    }
    const unread = Number(highWatermark) > this.fetchOffset;
    if (accepted === 0 && unread) {
      // Either the answer was full, or this batch was compacted completely and the next offset must be fetched.
      if (this.alone) this.fetchOffset += 1;
      this.alone = true;
      return false;
    }
    const isUseful = accepted > 0 || this.alone;
    this.alone = false;
    return isUseful;
  }

  /**
   * Moves into these bounds after retention or a rebuild removed records that were still to be read. Returns true if
   * the position changed.
   */
  moveInto({ first, next }: { readonly first: number; readonly next: number }): boolean {
    const inside = Math.min(next, Math.max(first, this.fetchOffset));
    if (inside === this.fetchOffset) return false;
    this.fetchOffset = inside;
    if (inside < this.delivered) this.delivered = inside;
    return true;
  }
}
