/**
 * Defines the one order in which a stage with several inputs processes its records: ascending (`receivedAt`, topic,
 * partition, offset), up to the lowest time that every input is known to have reached, by a watermark or by a record
 * that was read. The order is a property of the records alone, so it is the same live and in a replay, for any batch
 * size and on any machine.
 */
import type { LogRecord, ReadBatch, TopicPartition } from '../log/log.ts';
import { partitionName } from '../log/partition-name.ts';
import { bytesOf } from '../log/record-size.ts';

/** Queued records of one partition above which its reading is paused. */
const QUEUE_RECORDS_MAX = 8_192;
/** Queued records below which a paused partition is read again. */
const QUEUE_RECORDS_RESUME = 2_048;
/**
 * Queued bytes of all partitions above which every partition with records is paused; below the second limit they are
 * read again. Only a queue that holds records is ever paused, and an empty one never stays paused, so the records that
 * the order waits for can always arrive.
 */
const HELD_BYTES_MAX = 16 * 1024 * 1024;
const HELD_BYTES_RESUME = HELD_BYTES_MAX / 2;
/** Consumed records of a queue, and their bytes, above which the queue releases them. */
const CONSUMED_RECORDS_MAX = 4_096;
const CONSUMED_BYTES_MAX = 4 * 1024 * 1024;

interface Queue extends TopicPartition {
  readonly name: string;
  records: LogRecord[];
  /** Index of the first record that was not consumed. */
  next: number;
  /** Bytes of the records before `next`. */
  consumedBytes: number;
  /** Every record still to come has `receivedAt` at or above this: the newest watermark, or the newest record read. */
  lowerBound: number;
  /** Newest `seq` read: a repeat is dropped. */
  lastSeq: number;
  /** Newest `seq` consumed: snapshots store it. */
  consumedSeq: number;
  /** Offset after the newest record read, dropped ones included. */
  readUntil: number;
  /** In unordered mode, the others wait until this offset is read; null waits for nothing. */
  readonly catchUpOffset: number | null;
  paused: boolean;
}

export interface InputPartition extends TopicPartition {
  readonly offset: number;
  readonly lastSeq?: number;
  /** Of the last record that it held at the start. */
  readonly catchUpOffset?: number | undefined;
}

/** Thrown if a writer broke its promise: the stage stops rather than process records in a wrong order. */
export class OrderError extends Error {
  override name = 'OrderError';
}

export class MergedInput {
  private readonly queues: Queue[];
  private readonly byName = new Map<string, Queue>();
  private readonly pause: (at: TopicPartition, paused: boolean) => void;
  private last: LogRecord | null = null;
  /** Bytes of the records that were not consumed. */
  private waitingBytes = 0;
  private readonly ordered: boolean;

  /**
   * @param pause called when a partition runs ahead of the others, and when it may be read again.
   * @param ordered false consumes every record as it arrives, once those up to the `catchUpOffset` of each partition are
   * consumed in the merged order. For views, for which a repeated record changes nothing, and a topic that was rebuilt is
   * numbered from 1 again.
   */
  constructor(
    partitions: readonly InputPartition[],
    pause: (at: TopicPartition, paused: boolean) => void,
    ordered = true,
  ) {
    this.pause = pause;
    this.ordered = ordered;
    this.queues = partitions
      .map(({ topic, partition, offset, lastSeq, catchUpOffset }) => ({
        topic,
        partition,
        name: partitionName({ topic, partition }),
        records: [],
        next: 0,
        consumedBytes: 0,
        lowerBound: Number.NEGATIVE_INFINITY,
        lastSeq: lastSeq ?? 0,
        consumedSeq: lastSeq ?? 0,
        readUntil: offset,
        catchUpOffset: catchUpOffset ?? null,
        paused: false,
      }))
      .sort((a, b) => compareText(a.topic, b.topic) || a.partition - b.partition);
    for (const queue of this.queues) this.byName.set(queue.name, queue);
  }

  /**
   * Queues the records of a poll. In ordered mode, a record whose `seq` was seen before (repeated by a restarted
   * writer) is dropped.
   */
  push(batch: ReadBatch): void {
    let queue: Queue | null = null;
    for (const record of batch.records) {
      // Records of a partition come one after the other.
      if (queue?.topic !== record.topic || queue.partition !== record.partition)
        queue = this.byName.get(partitionName(record))!;
      queue.readUntil = record.offset + 1;
      if (this.ordered && record.seq !== 0 && record.seq <= queue.lastSeq) continue;
      if (record.seq !== 0) queue.lastSeq = record.seq;
      queue.records.push(record);
      this.waitingBytes += bytesOf(record);
      // A partition's times never decrease, so a long backlog can be processed before its watermark is reached.
      if (record.receivedAt > queue.lowerBound) queue.lowerBound = record.receivedAt;
    }
    for (const mark of batch.watermarks) {
      const queue = this.byName.get(partitionName(mark))!;
      if (mark.watermark > queue.lowerBound) queue.lowerBound = mark.watermark;
    }
    for (const queue of this.queues) {
      const waiting = queue.records.length - queue.next;
      if (queue.paused || waiting === 0) continue;
      if (waiting <= QUEUE_RECORDS_MAX && this.waitingBytes <= HELD_BYTES_MAX) continue;
      queue.paused = true;
      this.pause(queue, true);
    }
  }

  /** Declares a partition complete: nothing waits for it any more. For replays of a finished log. */
  finish(at: TopicPartition): void {
    this.byName.get(partitionName(at))!.lowerBound = Number.POSITIVE_INFINITY;
  }

  /**
   * Passes every record that may be consumed now to `visit`, in the merged order, at most `max` of them; returns how
   * many.
   * @param before consumes no record that was received at or after this time.
   */
  consume(max: number, visit: (record: LogRecord) => void, before = Number.POSITIVE_INFINITY): number {
    let consumed = 0;
    while (consumed < max) {
      const first = this.nextQueue();
      if (!first || first.records[first.next]!.receivedAt >= before) break;
      // Consume the run of records of this queue that precede everything that the others can still receive.
      const limit = this.earliestOfOthers(first);
      while (consumed < max && first.next < first.records.length) {
        const record = first.records[first.next]!;
        if (record.receivedAt >= before || (limit && comesAfter(record, limit.time, limit.queue))) break;
        first.next += 1;
        this.waitingBytes -= bytesOf(record);
        first.consumedBytes += bytesOf(record);
        consumed += 1;
        if (this.ordered && this.last && record.receivedAt < this.last.receivedAt)
          throw new OrderError(
            `${first.name} offset ${record.offset} was received at ${record.receivedAt}, after ${partitionName(this.last)} at ${this.last.receivedAt} was processed`,
          );
        this.last = record;
        if (record.seq !== 0) first.consumedSeq = record.seq;
        visit(record);
      }
      this.shrink(first);
    }
    return consumed;
  }

  /** Every record still to come has `receivedAt` at or above this. */
  position(): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (const queue of this.queues) lowest = Math.min(lowest, lowerBoundOf(queue));
    return lowest;
  }

  /** Like `position`, for the partitions of one topic. */
  positionOf(topic: string): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (const queue of this.queues) if (queue.topic === topic) lowest = Math.min(lowest, lowerBoundOf(queue));
    return lowest;
  }

  /** Newest time that any input is known to have reached, whether its records were consumed or not. */
  newest(): number {
    let newest = Number.NEGATIVE_INFINITY;
    for (const { lowerBound } of this.queues) if (Number.isFinite(lowerBound)) newest = Math.max(newest, lowerBound);
    return newest;
  }

  /** Bytes of the records in memory, including those that were just consumed. */
  heldBytes(): number {
    return this.queues.reduce((sum, { consumedBytes }) => sum + consumedBytes, this.waitingBytes);
  }

  /** Offset of the next record to consume of every input partition; those that were dropped count as consumed. */
  nextOffsets(): Map<string, number> {
    return new Map(this.queues.map(({ name, records, next, readUntil }) => [name, records[next]?.offset ?? readUntil]));
  }

  /** Newest `seq` consumed of every input partition, for snapshots. */
  consumedSeqs(): Map<string, number> {
    return new Map(this.queues.map((queue) => [queue.name, queue.consumedSeq]));
  }

  /** The queue whose next record comes first, or null if an empty queue may still receive an earlier record. */
  private nextQueue(): Queue | null {
    let best: Queue | null = null;
    for (const queue of this.queues) {
      const record = queue.records[queue.next];
      if (!record) continue;
      // Queues are sorted by (topic, partition), so at equal times the earlier one stays.
      if (!best || record.receivedAt < best.records[best.next]!.receivedAt) best = queue;
    }
    if (!best) return null;
    const first = best.records[best.next]!;
    for (const queue of this.queues) {
      if (queue === best || queue.records[queue.next]) continue;
      if (comesAfter(first, this.earliestOf(queue), queue)) return null;
    }
    return best;
  }

  /** The earliest time that any other queue holds or may still receive. */
  private earliestOfOthers(own: Queue): { time: number; queue: Queue } | null {
    let limit: { time: number; queue: Queue } | null = null;
    for (const queue of this.queues) {
      if (queue === own) continue;
      const time = queue.records[queue.next]?.receivedAt ?? this.earliestOf(queue);
      if (!limit || time < limit.time) limit = { time, queue };
    }
    return limit;
  }

  /** The earliest time that an empty queue may still receive. In unordered mode nothing waits for one that caught up. */
  private earliestOf({ lowerBound, readUntil, catchUpOffset }: Queue): number {
    const isWaitedFor = this.ordered || (catchUpOffset !== null && readUntil <= catchUpOffset);
    return isWaitedFor ? lowerBound : Number.POSITIVE_INFINITY;
  }

  private shrink(queue: Queue): void {
    const { length } = queue.records;
    if (queue.next === length || queue.next > CONSUMED_RECORDS_MAX || queue.consumedBytes > CONSUMED_BYTES_MAX) {
      queue.records = queue.records.slice(queue.next);
      queue.next = 0;
      queue.consumedBytes = 0;
    }
    if (!queue.paused) return;
    const waiting = queue.records.length - queue.next;
    if (waiting === 0 || (waiting < QUEUE_RECORDS_RESUME && this.waitingBytes < HELD_BYTES_RESUME)) {
      queue.paused = false;
      this.pause(queue, false);
    }
  }
}

/** Every record of the queue that is not consumed yet has `receivedAt` at or above this. */
function lowerBoundOf({ records, next, lowerBound }: Queue): number {
  return records[next]?.receivedAt ?? lowerBound;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** True if a record comes after a time of another partition in the merged order. */
function comesAfter(record: LogRecord, time: number, other: TopicPartition): boolean {
  if (record.receivedAt !== time) return record.receivedAt > time;
  return (compareText(record.topic, other.topic) || record.partition - other.partition) > 0;
}
