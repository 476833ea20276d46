/** What a stage wrote, on its way into the log: numbered per partition, and dropped where the log has it already. */
import { partitionOf, type Topic } from '#schemas/topics/topic';
import type { Codec } from '../codec/codec.ts';
import { deadLetterRecord } from '../log/dead-letter.ts';
import type { AppendRecord, EventLog, LogRecord } from '../log/log.ts';
import { partitionName } from '../log/partition-name.ts';
import { isTooLarge } from '../log/record-size.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Emit } from './stage.ts';
import { partitionsOf } from './stage-topics.ts';

interface Pending {
  readonly topic: Topic;
  readonly key: string;
  readonly value: unknown;
}

/** What a stage has written to one partition of an output. */
interface Written {
  /** `topic/partition`. */
  readonly name: string;
  /** Newest number given out. */
  given: number;
  /** Newest number that the log held at the start: what was written before a crash. */
  readonly kept: number;
}

interface Letter {
  readonly reason: string;
  readonly detail: string;
}

/** An output that the log would refuse, and with it everything that was written at the same time. */
export class OutputTooLargeError extends Error {
  override name = 'OutputTooLargeError';
  readonly code = 'output_too_large';
  readonly canRetry = false;
  constructor(topic: string, bytes: number) {
    super(`an output for ${topic} has ${bytes} bytes, more than the log takes`);
  }
}

export class StageOutputs {
  private readonly stage: string;
  private readonly codec: Codec;
  private readonly metrics: Metrics;
  private readonly written: ReadonlyMap<string, readonly Written[]>;
  private event: LogRecord | null = null;
  /** Outputs and letters of the event at hand; dropped when its handler throws. */
  private pending: Pending[] = [];
  private letters: Letter[] = [];
  private batch: AppendRecord[] = [];
  /** False where what would be a dead letter is only counted. */
  readonly writesLetters: boolean;

  private constructor(
    stage: string,
    codec: Codec,
    metrics: Metrics,
    written: ReadonlyMap<string, readonly Written[]>,
    writesLetters: boolean,
  ) {
    this.writesLetters = writesLetters;
    this.stage = stage;
    this.codec = codec;
    this.metrics = metrics;
    this.written = written;
  }

  /**
   * @param options.given the numbers of the snapshot that the stage starts from.
   * @param options.writesLetters false only counts what would be a dead letter.
   */
  static async open(options: {
    stage: string;
    topics: readonly Topic[];
    log: EventLog;
    codec: Codec;
    metrics: Metrics;
    given: ReadonlyMap<string, number>;
    writesLetters?: boolean;
  }): Promise<StageOutputs> {
    const { stage, codec, metrics, given, writesLetters = true } = options;
    const written = new Map<string, Written[]>(options.topics.map(({ name }) => [name, []]));
    for (const { topic, at } of partitionsOf(options.topics)) {
      const name = partitionName(at);
      const kept = (await options.log.last(at))?.seq ?? 0;
      written.get(topic.name)!.push({ name, given: given.get(name) ?? 0, kept });
    }
    return new StageOutputs(stage, codec, metrics, written, writesLetters);
  }

  /** The handle that handlers write through. */
  readonly emit: Emit = Object.assign(
    <T>(topic: Topic<T>, key: string, value: T) => void this.pending.push({ topic: topic as Topic, key, value }),
    {
      remove: (topic: Topic, key: string) => void this.pending.push({ topic, key, value: null }),
      dead: (reason: string, detail: string) => void this.letters.push({ reason, detail }),
    },
  );

  begin(event: LogRecord): void {
    this.event = event;
    this.pending = [];
    this.letters = [];
  }

  /** Keeps what the event at hand gave. Throws, with nothing of it kept, where an output does not fit its schema or the log. */
  commit(): void {
    // All of them before the first is numbered: one that cannot be encoded must not leave a hole in the numbers. Those
    // too that the log holds already, so that going over an event again ends as the first time.
    const encoded = this.pending.map(({ topic, value }) => (value === null ? null : this.codec.encode(topic, value)));
    for (const [index, { topic, key }] of this.pending.entries())
      if (isTooLarge({ key, value: encoded[index]! }))
        throw new OutputTooLargeError(topic.name, encoded[index]!.length);
    for (const [index, { topic, key }] of this.pending.entries()) this.add(topic, key, encoded[index]!);
    for (const [index, letter] of this.letters.entries()) this.addLetter(this.event!, letter, index);
    this.pending = [];
    this.letters = [];
  }

  /** Gives up on a whole event: it goes to its dead-letter topic, and what its handler gave is dropped. */
  refuse(event: LogRecord, reason: string, detail: string): void {
    this.pending = [];
    this.letters = [];
    this.addLetter(event, { reason, detail }, 0);
  }

  /** Hands over what was gathered since the last call. */
  drain(): AppendRecord[] {
    const batch = this.batch;
    this.batch = [];
    return batch;
  }

  seqs(): Map<string, number> {
    const partitions = [...this.written.values()].flat();
    return new Map(partitions.flatMap(({ name, given }) => (given === 0 ? [] : [[name, given]])));
  }

  private add(topic: Topic, key: string, value: Buffer | null): void {
    const partition = partitionOf(key, topic.partitions);
    const written = this.written.get(topic.name)![partition]!;
    written.given += 1;
    const seq = written.given;
    if (seq <= written.kept) return;
    this.batch.push({ topic: topic.name, partition, key, value, receivedAt: this.event!.receivedAt, seq });
  }

  /** @param index counts the letters of one event: each has a key of its own, the same whenever it is written again. */
  private addLetter(event: LogRecord, { reason, detail }: Letter, index: number): void {
    this.metrics.deadLetters.inc({ topic: event.topic, reason });
    if (!this.writesLetters) return;
    const { receivedAt, topic, partition, offset, key, value } = event;
    const name = `${this.stage}/${partition}/${offset}${index === 0 ? '' : `/${index}`}`;
    this.batch.push(
      deadLetterRecord(this.codec, name, {
        receivedAt,
        stage: this.stage,
        topic,
        partition,
        offset,
        key,
        reason,
        detail,
        value,
      }),
    );
  }
}
