/**
 * Compares every derived topic with a rebuilt one, record by record in the order of their numbers. Both logs are read
 * once, in parallel, so memory does not grow with a topic, apart from the keys of a compacted partition that lacks
 * records.
 *
 * The rule: a writer numbers its records without a gap. Every number up to the newest one that is known to have been
 * written must be in the live topic with the same content, unless retention or compaction can have removed it. Greater
 * numbers are pending.
 */
import { TOPICS } from '#schemas/topics/catalog';
import type { Topic } from '#schemas/topics/topic';
import { type Codec, CodecError } from '../../../codec/codec.ts';
import { TOMBSTONE_MS } from '../../../log/embedded/compaction.ts';
import { maxAgeMs, supersededMs } from '../../../log/embedded/retention.ts';
import type { EventLog, LogRecord, TopicPartition } from '../../../log/log.ts';
import { partitionName } from '../../../log/partition-name.ts';
import { readUntil } from '../../../log/read-until.ts';
import { partitionsOf } from '../../../stages/stage-topics.ts';
import { type Difference, DifferenceList } from './difference.ts';
import type { LiveProgress } from './live-progress.ts';
import { isSource } from './overlay-log.ts';
import { recordsOf } from './records-of.ts';

export interface CompareTopicsOptions {
  readonly live: EventLog;
  /** Holds every record that the rebuild derived; nothing is removed from it. */
  readonly rebuilt: EventLog;
  readonly codec: Codec;
  readonly progress: LiveProgress;
  /** Newest number of each partition (`topic/partition`) before the rebuild; empty for a rebuild of everything. */
  readonly seqsBefore: ReadonlyMap<string, number>;
  /** Retention of raw and derived topics. */
  readonly rawMaxAgeMs: number;
  /** Wall time, unix ms. */
  readonly now: number;
  readonly onCompared?: (topics: number) => void;
}

/** How many records of a partition the sink is known to have inserted. */
export interface SinkProgress {
  /** Every record up to this number was inserted. */
  readonly committedSeq: number;
  /** Number of the newest record appended before a wall time, unix ms. For rows that the store expires. */
  newestSeqBefore(appendedAt: number): Promise<number>;
}

export interface TopicFindings {
  readonly differences: Difference[];
  readonly pending: Record<string, number>;
  /** By `topic/partition`, of derived topics. */
  readonly sink: ReadonlyMap<string, SinkProgress>;
}

/** Topics that stages derive: all except source topics and the service's own `control.*` topics. */
export function derivedTopics(): Topic[] {
  return TOPICS.filter(({ name }) => !isSource(name) && !name.startsWith('control.'));
}

export async function compareTopics(options: CompareTopicsOptions): Promise<TopicFindings> {
  const differences: Difference[] = [];
  const pending: Record<string, number> = {};
  const sink = new Map<string, SinkProgress>();
  for (const [index, topic] of derivedTopics().entries()) {
    for (const { at } of partitionsOf([topic])) {
      const comparison = new PartitionComparison(options, topic, at);
      await comparison.run();
      differences.push(...comparison.differences.listed);
      if (comparison.pending > 0) pending[topic.name] = (pending[topic.name] ?? 0) + comparison.pending;
      sink.set(partitionName(at), comparison.sinkProgress());
    }
    options.onCompared?.(index + 1);
  }
  return { differences, pending, sink };
}

class PartitionComparison {
  readonly differences: DifferenceList;
  pending = 0;
  private readonly options: CompareTopicsOptions;
  private readonly topic: Topic;
  private readonly at: TopicPartition;
  private readonly seqBefore: number;
  private readonly committedOffset: number;
  private committedSeq = 0;
  /** Newest number that the live side is known to have written. */
  private writtenSeq = 0;
  /** Not before the newest append, in case the wall clock was set back. */
  private now = 0;
  /** Newest number that retention can have removed. */
  private removedSeq = 0;
  /** The live record before the current one. */
  private previous: LogRecord | null = null;
  /** Newest number of each key up to `writtenSeq`; read on first use. */
  private newestSeqs: Map<string, number> | null = null;

  constructor(options: CompareTopicsOptions, topic: Topic, at: TopicPartition) {
    this.options = options;
    this.topic = topic;
    this.at = at;
    const name = partitionName(at);
    this.differences = new DifferenceList(name);
    this.seqBefore = options.seqsBefore.get(name) ?? 0;
    this.committedOffset = options.progress.committed.get(name) ?? 0;
  }

  async run(): Promise<void> {
    const { live, rebuilt, progress } = this.options;
    const last = await live.last(this.at);
    const { next } = await live.bounds(this.at);
    this.now = Math.max(this.options.now, last?.appendedAt ?? 0);
    // Records that the sink committed beyond the current end existed, too.
    const lost = Math.max(0, this.committedOffset - next);
    const proven = progress.writtenSeqs.get(partitionName(this.at)) ?? 0;
    this.writtenSeq = Math.max(proven, (last?.seq ?? 0) + lost);
    const expected = recordsOf(rebuilt, this.at);
    let wanted = (await expected.next()).value ?? null;
    let newestSeq = this.seqBefore;
    for await (const record of recordsOf(live, this.at)) {
      this.trackCommitted(record);
      const isBefore = newestSeq === this.seqBefore && record.seq <= this.seqBefore && this.seqBefore > 0;
      if (!isBefore && record.seq <= newestSeq) {
        await this.compareRepeated(record);
        continue;
      }
      if (!isBefore) {
        for (; wanted && wanted.seq < record.seq; wanted = (await expected.next()).value ?? null)
          await this.handleMissing(wanted);
        if (wanted?.seq === record.seq) {
          await this.compare(wanted, record);
          wanted = (await expected.next()).value ?? null;
        } else await this.addDifference(null, record);
        newestSeq = record.seq;
      }
      this.previous = record;
    }
    for (; wanted; wanted = (await expected.next()).value ?? null) {
      if (wanted.seq <= this.writtenSeq) await this.handleMissing(wanted);
      else this.pending += 1;
    }
    if (this.committedOffset > next || (!last && this.committedOffset > 0)) this.committedSeq = this.writtenSeq;
  }

  sinkProgress(): SinkProgress {
    const { committedSeq, removedSeq, at } = this;
    const { live } = this.options;
    return {
      committedSeq,
      async newestSeqBefore(appendedAt) {
        const last = await live.last(at);
        const from = await live.offsetAt(at, appendedAt);
        // Records missing before the first one are known to be older only if retention can have removed them.
        if (from <= (await live.bounds(at)).first) return removedSeq;
        if (last && from <= last.offset)
          for await (const [first] of readUntil(live, at, { from, last: last.offset, pollRecords: 1 }))
            return Math.max(removedSeq, first!.seq - 1);
        return Math.max(removedSeq, last?.seq ?? 0);
      },
    };
  }

  private trackCommitted({ offset, seq }: LogRecord): void {
    if (this.committedOffset === 0) return;
    if (offset < this.committedOffset) this.committedSeq = Math.max(this.committedSeq, seq);
    // Records between the committed offset and this one may have been removed. Offsets grow at least as fast as
    // numbers.
    else if ((this.previous?.offset ?? -1) < this.committedOffset)
      this.committedSeq = Math.max(this.committedSeq, seq - 1 - (offset - this.committedOffset));
  }

  private async compare(wanted: LogRecord, found: LogRecord): Promise<void> {
    if (wanted.key === found.key && wanted.receivedAt === found.receivedAt && sameBytes(wanted.value, found.value))
      return;
    // Different bytes can hold the same value if they were written with another version of the schema.
    if ((await this.describe(wanted)) !== (await this.describe(found))) await this.addDifference(wanted, found);
  }

  /**
   * A broker may repeat a batch, whose records readers drop by number. A repeated number with other content is a
   * difference.
   */
  private async compareRepeated(found: LogRecord): Promise<void> {
    const { rebuilt } = this.options;
    const offset = found.seq - this.seqBefore - 1;
    if (offset >= 0)
      for await (const [wanted] of readUntil(rebuilt, this.at, { from: offset, last: offset, pollRecords: 1 }))
        if (wanted?.seq === found.seq) return this.compare(wanted, found);
    await this.addDifference(null, found);
  }

  private async handleMissing(wanted: LogRecord): Promise<void> {
    if (await this.mayBeRemoved(wanted)) this.removedSeq = Math.max(this.removedSeq, wanted.seq);
    else await this.addDifference(wanted, null);
  }

  /** True if retention or compaction can have removed a record. It was appended after the live record before it. */
  private async mayBeRemoved({ key, seq, value }: LogRecord): Promise<boolean> {
    const { now } = this;
    const { progress, rawMaxAgeMs } = this.options;
    const appendedSince = this.previous?.appendedAt ?? progress.appendedSince;
    const retentionMs = maxAgeMs(this.topic, { rawMaxAgeMs, rawMaxBytes: Number.POSITIVE_INFINITY });
    // Retention removes only the oldest records of a partition.
    if (retentionMs !== null) return this.previous === null && appendedSince + retentionMs <= now;
    this.newestSeqs ??= await this.readNewestSeqs();
    const isSuperseded = this.newestSeqs.get(key)! > seq;
    if (!isSuperseded && value !== null) return false;
    return appendedSince + (isSuperseded ? supersededMs(this.topic) : TOMBSTONE_MS) <= now;
  }

  private async readNewestSeqs(): Promise<Map<string, number>> {
    const newest = new Map<string, number>();
    for await (const { key, seq } of recordsOf(this.options.rebuilt, this.at))
      if (seq <= this.writtenSeq) newest.set(key, seq);
    return newest;
  }

  private async addDifference(wanted: LogRecord | null, found: LogRecord | null): Promise<void> {
    if (this.differences.isFull) return;
    const { key, seq } = (wanted ?? found)!;
    const name = this.topic.retention.kind === 'compacted' ? key : seq;
    this.differences.add({
      table: null,
      topic: this.topic.name,
      key: `${this.at.partition}/${name}`,
      expected: wanted && (await this.describe(wanted)),
      actual: found && (await this.describe(found)),
    });
  }

  private async describe({ seq, key, receivedAt, value }: LogRecord): Promise<string> {
    return JSON.stringify({ seq, key, receivedAt, value: value && (await this.decode(value)) });
  }

  private async decode(bytes: Buffer): Promise<unknown> {
    const { codec } = this.options;
    try {
      await codec.fetchSchema(bytes);
      return codec.decode(this.topic, bytes);
    } catch (error) {
      if (error instanceof CodecError) return { unreadable: error.message, bytes: bytes.toString('base64') };
      throw error;
    }
  }
}

function sameBytes(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}
