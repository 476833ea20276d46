/** What a stage wrote, on its way into the log: numbered per partition, and dropped where the log has it already. */
import { deadTopic } from '#schemas/topics/control';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import type { Codec } from '../codec/codec.ts';
import type { AppendRecord, EventLog, LogRecord } from '../log/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { partitionName } from './partition-name.ts';
import type { Emit } from './stage.ts';

interface Pending {
  readonly topic: Topic;
  readonly key: string;
  readonly value: unknown;
}

export class StageOutputs {
  private readonly stage: string;
  private readonly codec: Codec;
  private readonly metrics: Metrics;
  /** Newest number given out, by `topic/partition`. */
  private readonly given: Map<string, number>;
  /** Newest number that the log holds, by `topic/partition`: what was written before a crash. */
  private readonly kept: ReadonlyMap<string, number>;
  private event: LogRecord | null = null;
  /** Outputs of the event at hand; dropped when its handler throws. */
  private pending: Pending[] = [];
  private batch: AppendRecord[] = [];

  private constructor(
    stage: string,
    codec: Codec,
    metrics: Metrics,
    given: ReadonlyMap<string, number>,
    kept: ReadonlyMap<string, number>,
  ) {
    this.stage = stage;
    this.codec = codec;
    this.metrics = metrics;
    this.given = new Map(given);
    this.kept = kept;
  }

  /** @param given the numbers of the snapshot that the stage starts from. */
  static async open(options: {
    stage: string;
    topics: readonly Topic[];
    log: EventLog;
    codec: Codec;
    metrics: Metrics;
    given: ReadonlyMap<string, number>;
  }): Promise<StageOutputs> {
    const kept = new Map<string, number>();
    for (const topic of options.topics) {
      for (let partition = 0; partition < topic.partitions; partition += 1) {
        const at = { topic: topic.name, partition };
        kept.set(partitionName(at), (await options.log.last(at))?.seq ?? 0);
      }
    }
    return new StageOutputs(options.stage, options.codec, options.metrics, options.given, kept);
  }

  /** The handle that handlers write through. */
  readonly emit: Emit = Object.assign(
    <T>(topic: Topic<T>, key: string, value: T) => void this.pending.push({ topic: topic as Topic, key, value }),
    {
      remove: (topic: Topic, key: string) => void this.pending.push({ topic, key, value: null }),
      dead: (reason: string, detail: string) => this.dead(this.event!, reason, detail),
    },
  );

  begin(event: LogRecord): void {
    this.event = event;
    this.pending = [];
  }

  /** Keeps the outputs of the event at hand. */
  commit(): void {
    for (const { topic, key, value } of this.pending) this.add(topic, key, value);
    this.pending = [];
  }

  /** Sends the event to its dead-letter topic, with what it had written dropped. */
  dead(event: LogRecord, reason: string, detail: string): void {
    this.metrics.deadLetters.inc({ topic: event.topic, reason });
    const topic = deadTopic(event.topic);
    const { receivedAt, partition, offset, key, value } = event;
    const letter = { receivedAt, stage: this.stage, topic: event.topic, partition, offset, key, reason, detail, value };
    this.batch.push({
      topic: topic.name,
      partition: 0,
      key: `${this.stage}/${partition}/${offset}`,
      value: this.codec.encode(topic, letter),
      receivedAt,
      // Several stages may write here; the key tells a repeat.
      seq: 0,
    });
  }

  /** Hands over what was gathered since the last call. */
  drain(): AppendRecord[] {
    const batch = this.batch;
    this.batch = [];
    return batch;
  }

  get size(): number {
    return this.batch.length;
  }

  seqs(): Map<string, number> {
    return new Map(this.given);
  }

  private add(topic: Topic, key: string, value: unknown): void {
    const partition = partitionOf(key, topic.partitions);
    const name = partitionName({ topic: topic.name, partition });
    const seq = (this.given.get(name) ?? 0) + 1;
    this.given.set(name, seq);
    if (seq <= (this.kept.get(name) ?? 0)) return;
    const { receivedAt } = this.event!;
    const bytes = value === null ? null : this.codec.encode(topic, value);
    this.batch.push({ topic: topic.name, partition, key, value: bytes, receivedAt, seq });
  }
}
