/**
 * The one order in which a stage with several inputs takes its records: ascending (`receivedAt`, topic, partition,
 * offset), up to the lowest time that the inputs are known to have come to: by a watermark, or by a record that was read.
 * The order is a property of the records alone, so it is the same
 * live and in a replay, in any batch size and on any machine.
 */
import type { LogRecord, ReadBatch, TopicPartition } from '../log/log.ts';
import { partitionName } from '../log/partition-name.ts';
import { bytesOf } from '../log/record-size.ts';

/** Queued records of one partition above which its reading is paused. */
const QUEUE_RECORDS_MAX = 8_192;
/** Queued records below which a paused partition is read again. */
const QUEUE_RECORDS_RESUME = 2_048;
/**
 * Bytes of the records of all queues above which every partition that has some is paused, and below which they are read
 * again as they are taken. Only a queue that holds something is ever paused, and an empty one never stays so; what the
 * order waits for can therefore always come.
 */
const HELD_BYTES_MAX = 16 * 1024 * 1024;
const HELD_BYTES_RESUME = HELD_BYTES_MAX / 2;
/** Records taken of a queue, and what they hold, above which it lets go of them. */
const SPENT_RECORDS_MAX = 4_096;
const SPENT_BYTES_MAX = 4 * 1024 * 1024;

interface Queue extends TopicPartition {
  readonly name: string;
  records: LogRecord[];
  /** Where the first is that was not taken. */
  head: number;
  /** Of the records before `head`. */
  spentBytes: number;
  /** Every record still to come has `receivedAt` at or above this: the newest watermark, or the newest record read. */
  promised: number;
  /** Newest number read: a repeat is dropped. */
  lastSeq: number;
  /** Newest number taken: what a snapshot stands at. */
  takenSeq: number;
  /** Offset of the next record to take. */
  nextOffset: number;
  paused: boolean;
}

/** Thrown when a writer broke its promise: the stage stops rather than count in a wrong order. */
export class OrderError extends Error {
  override name = 'OrderError';
}

export class MergedInput {
  private readonly queues: Queue[];
  private readonly byName = new Map<string, Queue>();
  private readonly pause: (at: TopicPartition, paused: boolean) => void;
  private last: LogRecord | null = null;
  /** Bytes of the records that were not taken. */
  private waitingBytes = 0;
  private readonly ordered: boolean;

  /**
   * @param pause told when a partition runs ahead of the others, and when it may go on.
   * @param ordered false takes records as they come and each of them, for views whose topics do not depend on one another:
   * what they are told twice changes nothing, and a topic that was rebuilt under them is numbered from 1 again.
   */
  constructor(
    partitions: readonly (TopicPartition & { readonly offset: number; readonly lastSeq?: number })[],
    pause: (at: TopicPartition, paused: boolean) => void,
    ordered = true,
  ) {
    this.pause = pause;
    this.ordered = ordered;
    this.queues = partitions
      .map(({ topic, partition, offset, lastSeq }) => ({
        topic,
        partition,
        name: partitionName({ topic, partition }),
        records: [],
        head: 0,
        spentBytes: 0,
        promised: Number.NEGATIVE_INFINITY,
        lastSeq: lastSeq ?? 0,
        takenSeq: lastSeq ?? 0,
        nextOffset: offset,
        paused: false,
      }))
      .sort((a, b) => compareText(a.topic, b.topic) || a.partition - b.partition);
    for (const queue of this.queues) this.byName.set(queue.name, queue);
  }

  /** Takes what a poll brought; in order, a record whose number was seen before (a repeat by a revived writer) is dropped. */
  push(batch: ReadBatch): void {
    let queue: Queue | null = null;
    for (const record of batch.records) {
      // Records of a partition come one after the other.
      if (queue?.topic !== record.topic || queue.partition !== record.partition)
        queue = this.byName.get(partitionName(record))!;
      if (this.ordered && record.seq !== 0 && record.seq <= queue.lastSeq) continue;
      if (record.seq !== 0) queue.lastSeq = record.seq;
      queue.records.push(record);
      this.waitingBytes += bytesOf(record);
      // A partition's times never decrease. So the order goes on where a long backlog has not come to its watermark yet.
      if (record.receivedAt > queue.promised) queue.promised = record.receivedAt;
    }
    for (const mark of batch.watermarks) {
      const queue = this.byName.get(partitionName(mark))!;
      if (mark.watermark > queue.promised) queue.promised = mark.watermark;
    }
    for (const queue of this.queues) {
      const waiting = queue.records.length - queue.head;
      if (queue.paused || waiting === 0) continue;
      if (waiting <= QUEUE_RECORDS_MAX && this.waitingBytes <= HELD_BYTES_MAX) continue;
      queue.paused = true;
      this.pause(queue, true);
    }
  }

  /** Declares a partition complete: it holds nothing back any more. For replays of a finished log. */
  finish(at: TopicPartition): void {
    this.byName.get(partitionName(at))!.promised = Number.POSITIVE_INFINITY;
  }

  /**
   * Hands every record that may be taken now to `visit`, in the merged order, at most `max` of them.
   * @param before takes none that was received at or after this time.
   */
  take(max: number, visit: (record: LogRecord) => void, before = Number.POSITIVE_INFINITY): number {
    let taken = 0;
    while (taken < max) {
      const first = this.nextQueue();
      if (!first || first.records[first.head]!.receivedAt >= before) break;
      // The run of records of this queue that precede everything the others can still bring.
      const limit = this.limitBeside(first);
      while (taken < max && first.head < first.records.length) {
        const record = first.records[first.head]!;
        if (record.receivedAt >= before || (limit && comesAfter(record, limit.at, limit.queue))) break;
        first.head += 1;
        this.waitingBytes -= bytesOf(record);
        first.spentBytes += bytesOf(record);
        taken += 1;
        if (this.ordered && this.last && record.receivedAt < this.last.receivedAt)
          throw new OrderError(
            `${first.name} offset ${record.offset} was received at ${record.receivedAt}, after ${partitionName(this.last)} at ${this.last.receivedAt} had been taken`,
          );
        this.last = record;
        if (record.seq !== 0) first.takenSeq = record.seq;
        first.nextOffset = record.offset + 1;
        visit(record);
      }
      this.shrink(first);
    }
    return taken;
  }

  /** Every record still to come has `receivedAt` at or above this. */
  position(): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (const queue of this.queues) lowest = Math.min(lowest, reachedBy(queue));
    return lowest;
  }

  /** Like `position`, of the partitions of one topic. */
  positionOf(topic: string): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (const queue of this.queues) if (queue.topic === topic) lowest = Math.min(lowest, reachedBy(queue));
    return lowest;
  }

  /** The newest time that any input is known to have come to, whether its records were taken or not. */
  newest(): number {
    let newest = Number.NEGATIVE_INFINITY;
    for (const { promised } of this.queues) if (Number.isFinite(promised)) newest = Math.max(newest, promised);
    return newest;
  }

  /** Bytes of the records that are held, those that were just taken among them. */
  heldBytes(): number {
    return this.queues.reduce((sum, { spentBytes }) => sum + spentBytes, this.waitingBytes);
  }

  /** Offset of the next record to take of every input partition. */
  nextOffsets(): Map<string, number> {
    return new Map(this.queues.map((queue) => [queue.name, queue.nextOffset]));
  }

  /** Newest `seq` taken of every input partition, for snapshots. */
  takenSeqs(): Map<string, number> {
    return new Map(this.queues.map((queue) => [queue.name, queue.takenSeq]));
  }

  /** The queue whose head comes first, unless an empty queue may still bring something before it. */
  private nextQueue(): Queue | null {
    let best: Queue | null = null;
    for (const queue of this.queues) {
      const head = queue.records[queue.head];
      if (!head) continue;
      // Queues are sorted by (topic, partition), so at equal times the earlier one stays.
      if (!best || head.receivedAt < best.records[best.head]!.receivedAt) best = queue;
    }
    if (!best) return null;
    const head = best.records[best.head]!;
    for (const queue of this.queues) {
      if (queue === best || queue.records[queue.head]) continue;
      if (comesAfter(head, this.limitOf(queue), queue)) return null;
    }
    return best;
  }

  /** The earliest that any other queue holds or may still bring. */
  private limitBeside(own: Queue): { at: number; queue: Queue } | null {
    let limit: { at: number; queue: Queue } | null = null;
    for (const queue of this.queues) {
      if (queue === own) continue;
      const at = queue.records[queue.head]?.receivedAt ?? this.limitOf(queue);
      if (!limit || at < limit.at) limit = { at, queue };
    }
    return limit;
  }

  /** What an empty queue may still bring, at the earliest. Nothing waits for it where the order does not matter. */
  private limitOf({ promised }: Queue): number {
    return this.ordered ? promised : Number.POSITIVE_INFINITY;
  }

  private shrink(queue: Queue): void {
    const { length } = queue.records;
    if (queue.head === length || queue.head > SPENT_RECORDS_MAX || queue.spentBytes > SPENT_BYTES_MAX) {
      queue.records = queue.records.slice(queue.head);
      queue.head = 0;
      queue.spentBytes = 0;
    }
    if (!queue.paused) return;
    const waiting = queue.records.length - queue.head;
    if (waiting === 0 || (waiting < QUEUE_RECORDS_RESUME && this.waitingBytes < HELD_BYTES_RESUME)) {
      queue.paused = false;
      this.pause(queue, false);
    }
  }
}

/** Every record of the queue that is still to be taken has `receivedAt` at or above this. */
function reachedBy({ records, head, promised }: Queue): number {
  return records[head]?.receivedAt ?? promised;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether a record comes after the moment `at` of another partition in the merged order. */
function comesAfter(record: LogRecord, at: number, other: TopicPartition): boolean {
  if (record.receivedAt !== at) return record.receivedAt > at;
  return (compareText(record.topic, other.topic) || record.partition - other.partition) > 0;
}
