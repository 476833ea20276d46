/**
 * Outputs of a stage on their way into the log: numbered for each partition, and dropped if the log already holds them.
 */
import { partitionOf, type Topic } from '#schemas/topics/topic';
import type { Codec } from '../codec/codec.ts';
import { deadLetterOf } from '../log/dead-letter.ts';
import type { AppendRecord, EventLog, LogRecord } from '../log/log.ts';
import { partitionName } from '../log/partition-name.ts';
import { isTooLarge } from '../log/record-size.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Emit, Slices } from './stage.ts';
import { partitionsOf } from './stage-topics.ts';

/** Outputs of one slice. */
const SLICE_OUTPUTS = 64;

interface Pending {
  readonly topic: Topic;
  readonly key: string;
  readonly value: unknown;
  /** The encoded value; null for a removed key, and before it is encoded. */
  bytes: Buffer | null;
}

/** Numbering of one partition of an output. */
interface OutputPartition {
  /** `topic/partition`. */
  readonly name: string;
  /** Newest `seq` issued. */
  lastIssuedSeq: number;
  /** Newest `seq` that the log held at the start, written before a crash. */
  readonly lastPersistedSeq: number;
}

interface DeadLetterReason {
  readonly reason: string;
  readonly detail: string;
}

/** Thrown for an output that the log would refuse, together with everything that is appended at the same time. */
export class OutputTooLargeError extends Error {
  override name = 'OutputTooLargeError';
  readonly code = 'output_too_large';
  readonly canRetry = false;
  constructor(topic: string, bytes: number) {
    super(`an output for ${topic} has ${bytes} bytes, more than the log accepts`);
  }
}

export class StageOutputs {
  private readonly stage: string;
  private readonly codec: Codec;
  private readonly metrics: Metrics;
  private readonly partitions: ReadonlyMap<string, readonly OutputPartition[]>;
  private record: LogRecord | null = null;
  /** Outputs and dead letters of the current record; dropped if its handler throws. */
  private readonly pending: Pending[] = [];
  private readonly deadLetters: DeadLetterReason[] = [];
  private batch: AppendRecord[] = [];
  /** If false, dead letters are counted and not written. */
  readonly writesDeadLetters: boolean;

  private constructor(
    stage: string,
    codec: Codec,
    metrics: Metrics,
    written: ReadonlyMap<string, readonly OutputPartition[]>,
    writesDeadLetters: boolean,
  ) {
    this.writesDeadLetters = writesDeadLetters;
    this.stage = stage;
    this.codec = codec;
    this.metrics = metrics;
    this.partitions = written;
  }

  /**
   * @param options.outputSeqs the last issued numbers, from the snapshot that the stage starts from.
   * @param options.writesDeadLetters if false, dead letters are counted and not written.
   */
  static async open(options: {
    stage: string;
    topics: readonly Topic[];
    log: EventLog;
    codec: Codec;
    metrics: Metrics;
    outputSeqs: ReadonlyMap<string, number>;
    writesDeadLetters?: boolean;
  }): Promise<StageOutputs> {
    const { stage, codec, metrics, outputSeqs, writesDeadLetters = true } = options;
    const written = new Map<string, OutputPartition[]>(options.topics.map(({ name }) => [name, []]));
    for (const { topic, at } of partitionsOf(options.topics)) {
      const name = partitionName(at);
      const lastPersistedSeq = (await options.log.last(at))?.seq ?? 0;
      written.get(topic.name)!.push({ name, lastIssuedSeq: outputSeqs.get(name) ?? 0, lastPersistedSeq });
    }
    return new StageOutputs(stage, codec, metrics, written, writesDeadLetters);
  }

  /** Passed to handlers, which write their outputs through it. */
  readonly emit: Emit = Object.assign(
    <T>(topic: Topic<T>, key: string, value: T) =>
      void this.pending.push({ topic: topic as Topic, key, value, bytes: null }),
    {
      remove: (topic: Topic, key: string) => void this.pending.push({ topic, key, value: null, bytes: null }),
      deadLetter: (reason: string, detail: string) => void this.deadLetters.push({ reason, detail }),
    },
  );

  begin(record: LogRecord): void {
    this.record = record;
    this.drop();
  }

  /**
   * Adds the outputs of the current record to the batch. Throws, and adds nothing, if an output does not fit its schema
   * or the log.
   */
  commit(): void {
    // Encode every output before the first is numbered: one that cannot be encoded must not leave a gap in the numbers.
    // Also encode those that the log already holds, so that processing a record again has the same result.
    for (const output of this.pending) this.encode(output);
    for (const output of this.pending) this.add(output);
    this.addDeadLetters();
  }

  /** The same in slices. */
  *commitInSlices(): Slices {
    for (const [at, output] of this.pending.entries()) {
      if (at % SLICE_OUTPUTS === 0) yield;
      this.encode(output);
    }
    for (const [at, output] of this.pending.entries()) {
      if (at % SLICE_OUTPUTS === 0) yield;
      this.add(output);
    }
    this.addDeadLetters();
  }

  /** Writes the record as a dead letter and drops what its handler emitted. */
  reject(record: LogRecord, reason: string, detail: string): void {
    this.drop();
    this.addDeadLetter(record, { reason, detail }, 0);
  }

  /** Number of records gathered since the last `drain`. */
  get size(): number {
    return this.batch.length;
  }

  /** Removes at most `max` of the records that were gathered, the oldest first, and returns them. */
  drain(max = Number.POSITIVE_INFINITY): AppendRecord[] {
    return this.batch.splice(0, max);
  }

  seqs(): Map<string, number> {
    const partitions = [...this.partitions.values()].flat();
    return new Map(
      partitions.flatMap(({ name, lastIssuedSeq }) => (lastIssuedSeq === 0 ? [] : [[name, lastIssuedSeq]])),
    );
  }

  private encode(output: Pending): void {
    const { topic, key, value } = output;
    if (value !== null) output.bytes = this.codec.encode(topic, value);
    if (isTooLarge({ key, value: output.bytes })) throw new OutputTooLargeError(topic.name, output.bytes!.length);
  }

  private addDeadLetters(): void {
    for (const [index, deadLetter] of this.deadLetters.entries()) this.addDeadLetter(this.record!, deadLetter, index);
    this.drop();
  }

  private drop(): void {
    this.pending.length = 0;
    this.deadLetters.length = 0;
  }

  private add({ topic, key, value, bytes }: Pending): void {
    const partition = partitionOf(key, topic.partitions);
    const written = this.partitions.get(topic.name)![partition]!;
    written.lastIssuedSeq += 1;
    const seq = written.lastIssuedSeq;
    if (seq <= written.lastPersistedSeq) return;
    const labels = value === null ? null : topic.counted?.labelsOf(value);
    if (labels) this.metrics[topic.counted!.metric].inc({ ...labels });
    this.batch.push({ topic: topic.name, partition, key, value: bytes, receivedAt: this.record!.receivedAt, seq });
  }

  /** @param index number of the dead letter within its record: each has its own key. */
  private addDeadLetter(record: LogRecord, { reason, detail }: DeadLetterReason, index: number): void {
    this.metrics.deadLetters.inc({ topic: record.topic, reason });
    if (!this.writesDeadLetters) return;
    this.batch.push(deadLetterOf(this.codec, record, { stage: this.stage, reason, detail, index }));
  }
}
