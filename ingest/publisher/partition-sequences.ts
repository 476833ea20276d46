/**
 * Sequence numbers of the partitions that ingest writes. Live, a partition continues after its newest record. In playback
 * the same lines get the same numbers, so records that the partition already holds are skipped.
 */

import { lastSeqOfEmptyPartition } from '#infra/log/empty-partition-seq';
import type { EventLog, LogRecord } from '#infra/log/log';
import { RecordingError } from '#schemas/domain/recording';
import type { Topic } from '#schemas/topics/topic';

/** One partition that ingest writes. */
export interface WrittenPartition {
  readonly topic: Topic;
  readonly partition: number;
  /** The newest record that it held at the start; null if it was empty. */
  readonly lastStored: LogRecord | null;
  lastIssuedSeq: number;
}

/** `continue`: numbers follow the newest stored record. `repeat`: they start at 1 again, as in playback. */
export type Numbering = 'continue' | 'repeat';

export class PartitionSequences {
  private readonly byTopic: ReadonlyMap<string, readonly WrittenPartition[]>;
  private readonly numbering: Numbering;

  private constructor(byTopic: ReadonlyMap<string, readonly WrittenPartition[]>, numbering: Numbering) {
    this.byTopic = byTopic;
    this.numbering = numbering;
  }

  static async open(log: EventLog, topics: readonly Topic[], numbering: Numbering): Promise<PartitionSequences> {
    const byTopic = new Map<string, WrittenPartition[]>();
    for (const topic of topics) {
      const partitions: WrittenPartition[] = [];
      for (let partition = 0; partition < topic.partitions; partition += 1) {
        const at = { topic: topic.name, partition };
        const lastStored = await log.last(at);
        const lastIssuedSeq =
          numbering === 'repeat' ? 0 : (lastStored?.seq ?? (await lastSeqOfEmptyPartition(log, at)));
        partitions.push({ topic, partition, lastStored, lastIssuedSeq });
      }
      byTopic.set(topic.name, partitions);
    }
    return new PartitionSequences(byTopic, numbering);
  }

  all(): WrittenPartition[] {
    return [...this.byTopic.values()].flat();
  }

  of(topic: string, partition: number): WrittenPartition {
    const found = this.byTopic.get(topic)?.[partition];
    if (!found) throw new Error(`ingest does not write ${topic}/${partition}`);
    return found;
  }

  /** The newest event time at the start in any of the partitions; 0 if all were empty. */
  newestAt(): number {
    return this.all().reduce((newest, { lastStored }) => Math.max(newest, lastStored?.receivedAt ?? 0), 0);
  }

  /**
   * Returns the sequence number of the partition's next record, or null if the partition already holds that record.
   * Throws a `RecordingError` if it holds a different one: the data directory belongs to another recording.
   */
  next(at: WrittenPartition, key: string, receivedAt: number): number | null {
    at.lastIssuedSeq += 1;
    const { lastStored } = at;
    if (this.numbering === 'continue' || !lastStored || at.lastIssuedSeq > lastStored.seq) return at.lastIssuedSeq;
    if (at.lastIssuedSeq === lastStored.seq && (lastStored.key !== key || lastStored.receivedAt !== receivedAt))
      throw new RecordingError(
        'recording_differs',
        `${at.topic.name}/${at.partition} number ${at.lastIssuedSeq} is ${lastStored.key} at ${lastStored.receivedAt} in the log, and ${key} at ${receivedAt} in the recording: the data directory belongs to another recording`,
      );
    return null;
  }
}
