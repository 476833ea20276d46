/** How far the channel topics were dispatched: the newest offset of each partition, and the event time of all before it. */
import type { EventLog, LogRecord, TopicPartition } from '#infra/log/log';
import type { Topic } from '#schemas/topics/topic';

type Position = TopicPartition & { readonly offset: number };

export class DispatchedPositions {
  /** By topic, then by partition. */
  private readonly offsets = new Map<string, number[]>();
  private readonly times = new Map<string, number[]>();

  /** Begins at the end of a topic. Resolves with the positions from which its records follow. */
  async open(log: Pick<EventLog, 'bounds' | 'last'>, topic: Topic): Promise<Position[]> {
    const from: Position[] = [];
    const offsets: number[] = [];
    // The newest event of any partition: the minimum until the writer publishes its watermark.
    let time = Number.NEGATIVE_INFINITY;
    for (let partition = 0; partition < topic.partitions; partition += 1) {
      const at = { topic: topic.name, partition };
      const { next } = await log.bounds(at);
      // The last record and not the end: on Kafka control records may stand between the two.
      const last = await log.last(at);
      offsets.push(last?.offset ?? -1);
      time = Math.max(time, last?.receivedAt ?? time);
      from.push({ ...at, offset: next });
    }
    this.offsets.set(topic.name, offsets);
    this.times.set(
      topic.name,
      offsets.map(() => time),
    );
    return from;
  }

  has(topic: string): boolean {
    return this.offsets.has(topic);
  }

  /** Partitions of a topic that was opened. */
  partitionsOf(topic: string): Iterable<number> {
    return this.offsets.get(topic)!.keys();
  }

  offsetOf({ topic, partition }: TopicPartition): number {
    return this.offsets.get(topic)![partition]!;
  }

  /** Event time up to which every event of a topic was dispatched; null before any is known. */
  timeOf(topic: string): number | null {
    const time = Math.min(...this.times.get(topic)!);
    return Number.isFinite(time) ? time : null;
  }

  /** Records that everything up to a record of its partition was dispatched. */
  advance(record: LogRecord): void {
    this.offsets.get(record.topic)![record.partition] = record.offset;
    this.advanceTime(record, record.receivedAt);
  }

  /** Records that every event before a time was dispatched. Ignores other topics. */
  advanceTime({ topic, partition }: TopicPartition, time: number): void {
    const times = this.times.get(topic);
    if (times && time > times[partition]!) times[partition] = time;
  }

  /** Begins anew after a rebuild of a topic. @param ends the next offset of each partition, by partition. */
  restart(topic: string, ends: readonly number[]): void {
    this.times.get(topic)!.fill(Number.NEGATIVE_INFINITY);
    const offsets = this.offsets.get(topic)!;
    // In the embedded log offsets restart; on Kafka they continue and stay as they are.
    for (const [partition, next] of ends.entries()) offsets[partition] = Math.min(offsets[partition]!, next - 1);
  }
}
