/**
 * How the partitions that ingest writes are numbered. Live, a partition goes on after the newest record it holds. From a
 * recording the same lines give the same numbers, so what the partition holds already is passed over.
 */

import type { EventLog, LogRecord } from '#infra/log/log';
import { numbersBefore } from '#infra/log/numbers-before';
import { RecordingError } from '#schemas/domain/recording';
import type { Topic } from '#schemas/topics/topic';

/** One partition of ours: what it held at the start, and the newest number given out. */
export interface WrittenPartition {
  readonly topic: Topic;
  readonly partition: number;
  /** The newest record that it held at the start. */
  readonly kept: LogRecord | null;
  seq: number;
}

export type Numbering = 'continue' | 'repeat';

export class PartitionNumbers {
  private readonly byTopic: ReadonlyMap<string, readonly WrittenPartition[]>;
  private readonly numbering: Numbering;

  private constructor(byTopic: ReadonlyMap<string, readonly WrittenPartition[]>, numbering: Numbering) {
    this.byTopic = byTopic;
    this.numbering = numbering;
  }

  static async open(log: EventLog, topics: readonly Topic[], numbering: Numbering): Promise<PartitionNumbers> {
    const byTopic = new Map<string, WrittenPartition[]>();
    for (const topic of topics) {
      const partitions: WrittenPartition[] = [];
      for (let partition = 0; partition < topic.partitions; partition += 1) {
        const at = { topic: topic.name, partition };
        const kept = await log.last(at);
        const seq = numbering === 'repeat' ? 0 : (kept?.seq ?? (await numbersBefore(log, at)));
        partitions.push({ topic, partition, kept, seq });
      }
      byTopic.set(topic.name, partitions);
    }
    return new PartitionNumbers(byTopic, numbering);
  }

  all(): WrittenPartition[] {
    return [...this.byTopic.values()].flat();
  }

  of(topic: string, partition: number): WrittenPartition {
    const found = this.byTopic.get(topic)?.[partition];
    if (!found) throw new Error(`ingest does not write ${topic}/${partition}`);
    return found;
  }

  /** The newest event time in any of the partitions; 0 when all are empty. */
  newestAt(): number {
    return this.all().reduce((newest, { kept }) => Math.max(newest, kept?.receivedAt ?? 0), 0);
  }

  /**
   * The number of the next record of the partition, or null when the partition holds that record already. Throws a
   * `RecordingError` when the record it holds is another one: the data directory belongs to another recording.
   */
  next(at: WrittenPartition, key: string, receivedAt: number): number | null {
    at.seq += 1;
    const { kept } = at;
    if (this.numbering === 'continue' || !kept || at.seq > kept.seq) return at.seq;
    if (at.seq === kept.seq && (kept.key !== key || kept.receivedAt !== receivedAt))
      throw new RecordingError(
        'recording_differs',
        `${at.topic.name}/${at.partition} number ${at.seq} is kept as ${kept.key} at ${kept.receivedAt}, and the recording says ${key} at ${receivedAt}: the data directory was made from another recording`,
      );
    return null;
  }
}
