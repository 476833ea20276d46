/**
 * The loop that runs a stage: read in the merged order, decode, step, write, pass the watermark on, snapshot. A crash
 * at any line is repaired by the next start: the newest snapshot, the tail after it, and outputs that the log holds
 * already are not written again.
 */
import { setImmediate as yieldToIo } from 'node:timers/promises';
import type { Logger } from 'pino';
import { deadTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import { type Codec, CodecError } from '../codec/codec.ts';
import type { AppendRecord, EventLog, LogReader, LogRecord, ReadBatch, TopicPartition } from '../log/log.ts';
import { LogError } from '../log/log.ts';
import { backoff } from '../retry.ts';
import type { Health } from '../telemetry/health.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { MergedInput } from './merge.ts';
import { StageOutputs } from './outputs.ts';
import { partitionName } from './partition-name.ts';
import { openSnapshots, type Snapshot, type SnapshotStore } from './snapshots.ts';
import type { Stage, StageEvent } from './stage.ts';

/** Records asked of the log at a time. */
const POLL_RECORDS = 2_048;
const POLL_TIMEOUT_MS = 250;
/** Records stepped before outputs are written and other work gets its turn. */
const STEP_RECORDS = 512;
/** A snapshot is taken when this many events were stepped since the last, and not more often than the interval. */
const SNAPSHOT_EVENTS = 20_000;
const SNAPSHOT_INTERVAL_MS = 10_000;

export interface RunStageOptions<S> {
  readonly stage: Stage<S>;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health?: Health;
  /**
   * `live` (default): goes on for ever, waits for watermarks. `view`: like live, but takes records as they come, for
   * views whose topics do not depend on one another. `rebuild`: takes what the log holds in merged order, without
   * waiting for watermarks, then stops by itself.
   */
  readonly mode?: 'live' | 'view' | 'rebuild';
  /** Told after each step of a rebuild how many records were taken. */
  readonly onProgress?: (records: number) => void;
}

export interface RunningStage<S> {
  readonly state: S;
  /** Resolves when everything that the inputs held at the start has been taken. */
  readonly caughtUp: Promise<void>;
  /** Resolves when the stage has stopped, and rejects when it stopped by a fault. */
  readonly stopped: Promise<void>;
  /** Event time up to which everything is taken. */
  position(): number;
  close(): Promise<void>;
}

export async function runStage<S>(options: RunStageOptions<S>): Promise<RunningStage<S>> {
  const { stage, log, codec } = options;
  const inputs = stage.inputs.map((input) => input.topic);
  const topics = [...inputs, ...stage.outputs, ...inputs.map((topic) => deadTopic(topic.name))] as Topic[];
  await log.createTopics(topics);
  await codec.prepare(topics);
  const snapshots = await openSnapshots<S>(stage.name, log, codec);
  const snapshot = await snapshots.load();
  const loop = new StageLoop(options, snapshots, snapshot);
  await loop.open();
  const stopped = loop.run();
  // A fault is reported through `stopped` and health; it must not end the process as an unhandled rejection.
  stopped.catch((error) => {
    options.logger.error({ stage: stage.name, error }, 'stage stopped by a fault');
    options.health?.degraded(`stage ${stage.name}`, 'stopped by a fault; see the log');
  });
  return {
    state: loop.state,
    caughtUp: loop.caughtUp,
    stopped,
    position: () => loop.position,
    close: async () => {
      loop.stop();
      await stopped;
    },
  };
}

class StageLoop<S> {
  readonly state: S;
  readonly caughtUp: Promise<void>;
  position = Number.NEGATIVE_INFINITY;
  private readonly options: RunStageOptions<S>;
  private readonly mode: 'live' | 'view' | 'rebuild';
  private readonly snapshots: SnapshotStore<S>;
  private readonly snapshot: Snapshot<S> | null;
  private readonly handlers: Map<
    string,
    { topic: Topic; handle: (state: S, event: StageEvent<never>, emit: never) => void }
  >;
  private readonly partitions: readonly TopicPartition[];
  /** Every partition of the outputs. */
  private readonly written: readonly TopicPartition[];
  private readonly eventCounter: { inc(events: number): void };
  private readonly positionGauge: { set(position: number): void };
  private readonly offsets: Map<string, number>;
  /** Last offset that each input held at the start and that is not taken yet. */
  private readonly behind = new Map<string, number>();
  private resolveCaughtUp: () => void = () => {};
  private input!: MergedInput;
  private reader!: LogReader;
  private outputs!: StageOutputs;
  private stopping = false;
  private steppedSinceSnapshot = 0;
  private snapshotAt = Date.now();
  private total = 0;

  constructor(options: RunStageOptions<S>, snapshots: SnapshotStore<S>, snapshot: Snapshot<S> | null) {
    this.options = options;
    this.mode = options.mode ?? 'live';
    this.snapshots = snapshots;
    this.snapshot = snapshot;
    this.state = snapshot ? snapshot.state : options.stage.initialState();
    this.offsets = new Map(snapshot?.offsets);
    this.handlers = new Map(
      options.stage.inputs.map((input) => [input.topic.name, { topic: input.topic, handle: input.handle as never }]),
    );
    this.partitions = partitionsOf(options.stage.inputs.map(({ topic }) => topic));
    this.written = partitionsOf(options.stage.outputs);
    this.eventCounter = options.metrics.stageEvents.labels(options.stage.name);
    this.positionGauge = options.metrics.stagePosition.labels(options.stage.name);
    this.caughtUp = new Promise((resolve) => {
      this.resolveCaughtUp = resolve;
    });
  }

  async open(): Promise<void> {
    const { stage, log, codec, metrics } = this.options;
    const from = [];
    for (const at of this.partitions) {
      const { first } = await log.bounds(at);
      const offset = Math.max(first, this.offsets.get(partitionName(at)) ?? first);
      this.offsets.set(partitionName(at), offset);
      const last = await log.last(at);
      if (last && last.offset >= offset) this.behind.set(partitionName(at), last.offset);
      from.push({ ...at, offset, lastSeq: this.snapshot?.inputSeqs.get(partitionName(at)) ?? 0 });
    }
    this.reader = await log.reader(from);
    this.input = new MergedInput(from, (at, paused) => this.reader.pause(at, paused), this.mode !== 'view');
    if (this.mode === 'rebuild') {
      for (const at of this.partitions) if (!this.behind.has(partitionName(at))) this.input.finish(at);
    }
    this.outputs = await StageOutputs.open({
      stage: stage.name,
      topics: stage.outputs,
      log,
      codec,
      metrics,
      given: this.snapshot?.outputSeqs ?? new Map(),
    });
    this.checkCaughtUp();
  }

  stop(): void {
    this.stopping = true;
  }

  async run(): Promise<void> {
    try {
      while (!this.stopping && !(this.mode === 'rebuild' && this.behind.size === 0)) {
        const batch = await this.poll();
        this.input.push(batch);
        if (this.mode === 'rebuild') this.finishRead(batch.records);
        while (!this.stopping && (await this.step()) === STEP_RECORDS) await yieldToIo();
        this.advance();
        await this.snapshotWhenDue();
        await yieldToIo();
      }
      await this.saveIfTaken();
    } finally {
      await this.reader.close();
    }
  }

  /** Reads; a log that cannot be reached stops this stage, and only for as long as it lasts. */
  private async poll(): Promise<ReadBatch> {
    const { health, logger, stage } = this.options;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const batch = await this.reader.poll(POLL_RECORDS, this.stopping ? 0 : POLL_TIMEOUT_MS);
        if (attempt > 0) health?.ready(`stage ${stage.name}`);
        return batch;
      } catch (error) {
        if (!(error instanceof LogError) || !error.canRetry || this.stopping) throw error;
        if (attempt === 0) logger.error({ stage: stage.name, error }, 'the log gives nothing; trying again');
        health?.degraded(`stage ${stage.name}`, error.message);
        await backoff(attempt);
      }
    }
  }

  /** Takes up to STEP_RECORDS records through the handlers and writes what came of them. */
  private async step(): Promise<number> {
    const ready: LogRecord[] = [];
    const taken = this.input.take(STEP_RECORDS, (record) => void ready.push(record));
    for (const record of ready) {
      if (!this.handle(record)) {
        // The schema that the record was written with is not known here yet.
        await this.options.codec.learn(record.value!);
        if (!this.handle(record)) this.outputs.dead(record, 'unknown_schema', 'its schema id is not in the registry');
      }
      this.offsets.set(partitionName(record), record.offset + 1);
    }
    if (taken === 0) return 0;
    await this.write(this.outputs.drain());
    this.steppedSinceSnapshot += taken;
    this.total += taken;
    this.eventCounter.inc(taken);
    this.options.onProgress?.(this.total);
    this.checkCaughtUp();
    return taken;
  }

  /** False when the record's schema has to be learned first. */
  private handle(record: LogRecord): boolean {
    const { topic, handle } = this.handlers.get(record.topic)!;
    this.outputs.begin(record);
    try {
      const value = record.value === null ? null : this.options.codec.decode(topic, record.value);
      const { partition, offset, key, receivedAt } = record;
      handle(
        this.state,
        { topic: topic.name, partition, offset, key, receivedAt, value } as never,
        this.outputs.emit as never,
      );
      this.outputs.commit();
    } catch (error) {
      if (error instanceof CodecError && error.code === 'unknown_schema') return false;
      const reason = error instanceof CodecError ? error.code : 'handler_failed';
      this.options.logger.warn(
        { stage: this.options.stage.name, topic: record.topic, offset: record.offset, error },
        'dead letter',
      );
      this.outputs.dead(record, reason, error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    }
    return true;
  }

  /** Appends until it is taken: a full disk or a lost broker stops this stage, and only for as long as it lasts. */
  private async write(records: AppendRecord[]): Promise<void> {
    if (records.length === 0) return;
    const { log, health, logger, stage } = this.options;
    for (let attempt = 0; ; attempt += 1) {
      try {
        await log.append(records);
        if (attempt > 0) health?.ready(`stage ${stage.name}`);
        return;
      } catch (error) {
        if (!(error instanceof LogError) || !error.canRetry || (this.stopping && attempt > 2)) throw error;
        if (attempt === 0) logger.error({ stage: stage.name, error }, 'the log takes nothing; trying again');
        health?.degraded(`stage ${stage.name}`, error.message);
        await backoff(attempt);
      }
    }
  }

  private advance(): void {
    const position = this.input.position();
    if (position <= this.position || !Number.isFinite(position)) return;
    this.position = position;
    this.positionGauge.set(position);
    if (this.written.length === 0) return;
    this.options.log.advance(this.written.map(({ topic, partition }) => ({ topic, partition, watermark: position })));
  }

  /** In a rebuild, a partition that was read to its end holds nothing back any more. */
  private finishRead(records: readonly LogRecord[]): void {
    for (const record of records)
      if (this.behind.get(partitionName(record)) === record.offset) this.input.finish(record);
  }

  private checkCaughtUp(): void {
    for (const [name, last] of this.behind) if (this.offsets.get(name)! > last) this.behind.delete(name);
    if (this.behind.size === 0) this.resolveCaughtUp();
  }

  private async snapshotWhenDue(): Promise<void> {
    if (this.steppedSinceSnapshot < SNAPSHOT_EVENTS || Date.now() - this.snapshotAt < SNAPSHOT_INTERVAL_MS) return;
    await this.saveIfTaken();
  }

  /** A snapshot only shortens the next start: one that the log cannot take now is left for the next time. */
  private async saveIfTaken(): Promise<void> {
    try {
      await this.save();
    } catch (error) {
      if (!(error instanceof LogError) || !error.canRetry) throw error;
      this.options.logger.warn({ stage: this.options.stage.name, error }, 'no snapshot was taken; later');
      this.snapshotAt = Date.now();
    }
  }

  private async save(): Promise<void> {
    if (this.steppedSinceSnapshot === 0) return;
    const began = Date.now();
    await this.snapshots.save({
      state: this.state,
      offsets: this.offsets,
      inputSeqs: this.input.takenSeqs(),
      outputSeqs: this.outputs.seqs(),
      receivedAt: Number.isFinite(this.position) ? this.position : 0,
    });
    this.steppedSinceSnapshot = 0;
    // A large state is snapshotted less often, so that snapshots take a few percent of the time at most.
    this.snapshotAt = Date.now() + (Date.now() - began) * 20;
  }
}

function partitionsOf(topics: readonly Topic[]): TopicPartition[] {
  return topics.flatMap(({ name, partitions }) =>
    Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })),
  );
}
