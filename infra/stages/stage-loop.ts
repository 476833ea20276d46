/**
 * The loop of a stage: read in the merged order, process, write, pass the watermark on, save snapshots. The next start
 * repairs a crash at any line: it loads the newest snapshot, processes the records after it, and does not write outputs
 * that the log already holds.
 */
import type { EventLog, LogReader, LogRecord, TopicPartition } from '../log/log.ts';
import { partitionName } from '../log/partition-name.ts';
import { isTurnUsedUp, nextTurn } from '../runtime/turn.ts';
import { lastMidnight, nextMidnight } from './daily-checkpoints.ts';
import { MergedInput } from './merge.ts';
import type { StageOutputs } from './outputs.ts';
import type { RecordHandlers } from './record-handlers.ts';
import { type RetryPolicy, retryWhileUnavailable } from './retry-while-unavailable.ts';
import type { StagePosition } from './snapshot.ts';
import type { SnapshotScheduler } from './snapshot-scheduler.ts';
import type { StartOffset } from './start-position.ts';

/** Records requested from the log at a time. */
const POLL_RECORDS = 2_048;
const POLL_TIMEOUT_MS = 250;
/** Records processed before outputs are written and other work gets its turn. */
const STEP_RECORDS = 512;
/** Outputs after which they are written earlier. */
const STEP_OUTPUTS_MAX = 2_048;
/** More outputs than this are appended in a turn of their own, not in the one that made them. */
const SHARED_TURN_OUTPUTS_MAX = 256;

/**
 * `live`: runs until it is closed and waits for watermarks. `view`: processes what the log held at the start in merged
 * order, without waiting for watermarks, and later records as they arrive; stores no snapshots. `rebuild`: processes what the log holds in
 * merged order, without waiting for watermarks, then stops by itself.
 */
export type StageMode = 'live' | 'view' | 'rebuild';

export interface StageLoopOptions<S> {
  readonly mode: StageMode;
  readonly log: EventLog;
  readonly startOffsets: readonly StartOffset[];
  /** Event time up to which everything is in the state, unix ms; null without a snapshot. */
  readonly since: number | null;
  readonly outputPartitions: readonly TopicPartition[];
  readonly handlers: RecordHandlers<S>;
  readonly outputs: StageOutputs;
  /** Null stores no snapshots. */
  readonly snapshots: SnapshotScheduler<S> | null;
  readonly retryPolicy: RetryPolicy;
  readonly stopping: AbortSignal;
  /** Called after each step with the number of records it processed. */
  readonly onProcessed: (records: number) => void;
  /** Called when the position has risen. */
  readonly onPosition: (position: number) => void;
}

/** Progress of a stage. */
export interface StageProgress {
  /** Event time up to which everything is processed, unix ms; null before any is known. */
  readonly position: number | null;
  /** Newest time that an input is known to have reached; null before any is known. */
  readonly newest: number | null;
  /** Records processed since the start. */
  readonly processed: number;
  /** Bytes of the records that were read and are still in memory. */
  readonly heldBytes: number;
  /** The next offset to process of each input partition. */
  readonly offsets: readonly (TopicPartition & { readonly offset: number })[];
}

export class StageLoop<S> {
  /** Resolves when everything that the inputs held at the start has been processed. */
  readonly caughtUp: Promise<void>;
  /** Event time up to which everything is processed. */
  position = Number.NEGATIVE_INFINITY;
  private processed = 0;
  private readonly options: StageLoopOptions<S>;
  private readonly input: MergedInput;
  private readonly reader: LogReader;
  /** Last offset that each input held at the start, until it is processed. */
  private readonly catchUpOffsets: Map<string, number>;
  /** The records of the current step, and how many of them are processed. */
  private recordsOfStep: readonly LogRecord[] = [];
  private processedOfStep = 0;
  private resolveCaughtUp: () => void = () => {};
  /** Receive time of the newest processed record. */
  private newestReceivedAt: number;
  /** The next midnight at which a daily checkpoint is due; null while no time is known. */
  private dailyCheckpointDueAt: number | null;

  private constructor(options: StageLoopOptions<S>, reader: LogReader, catchUpOffsets: Map<string, number>) {
    const { startOffsets, mode, since } = options;
    this.options = options;
    this.reader = reader;
    this.catchUpOffsets = catchUpOffsets;
    this.newestReceivedAt = since ?? 0;
    this.dailyCheckpointDueAt = since === null ? null : nextMidnight(since);
    const partitions = startOffsets.map((at) => ({ ...at, catchUpOffset: catchUpOffsets.get(partitionName(at)) }));
    this.input = new MergedInput(partitions, (at, paused) => reader.pause(at, paused), mode !== 'view');
    if (mode === 'rebuild') {
      for (const at of startOffsets) if (!catchUpOffsets.has(partitionName(at))) this.input.finish(at);
    }
    this.caughtUp = new Promise((resolve) => {
      this.resolveCaughtUp = resolve;
    });
    this.checkCaughtUp();
  }

  static async open<S>(options: StageLoopOptions<S>): Promise<StageLoop<S>> {
    const catchUpOffsets = new Map<string, number>();
    for (const at of options.startOffsets) {
      const last = await options.log.last(at);
      if (last && last.offset >= at.offset) catchUpOffsets.set(partitionName(at), last.offset);
    }
    return new StageLoop(options, await options.log.reader(options.startOffsets), catchUpOffsets);
  }

  progress(): StageProgress {
    const offsets = this.input.nextOffsets();
    return {
      position: finiteOrNull(this.position) ?? this.options.since,
      newest: finiteOrNull(this.input.newest()),
      processed: this.processed,
      heldBytes: this.input.heldBytes(),
      offsets: this.options.startOffsets.map(({ topic, partition }) => ({
        topic,
        partition,
        offset: offsets.get(partitionName({ topic, partition }))!,
      })),
    };
  }

  /** Event time up to which everything of an input topic is processed; null before any is known. */
  positionOf(topic: string): number | null {
    let position = this.input.positionOf(topic);
    // A step yields while it processes its records, and readers of the state see those that are processed.
    for (let at = this.processedOfStep; at < this.recordsOfStep.length; at += 1) {
      const record = this.recordsOfStep[at]!;
      if (record.topic === topic) position = Math.min(position, record.receivedAt);
    }
    return finiteOrNull(position);
  }

  async run(): Promise<void> {
    const { mode, snapshots, stopping } = this.options;
    const endWaits = () => this.reader.endWaits();
    stopping.addEventListener('abort', endWaits, { once: true });
    if (stopping.aborted) endWaits();
    try {
      while (!stopping.aborted && !(mode === 'rebuild' && this.catchUpOffsets.size === 0)) {
        await this.poll();
        while (!stopping.aborted && (await this.step())) await nextTurn();
        this.advance();
        await snapshots?.saveWhenDue(() => this.checkpoint());
        await nextTurn();
      }
      // A stop can come between the last record of a day and its daily checkpoint; a start from the snapshot below would
      // skip it.
      if (snapshots) await this.saveDailyCheckpointWhenDue();
      await snapshots?.flush(() => this.checkpoint());
    } finally {
      stopping.removeEventListener('abort', endWaits);
      await this.reader.close();
    }
  }

  private async poll(): Promise<void> {
    const { mode, retryPolicy } = this.options;
    const batch = await retryWhileUnavailable(retryPolicy, 'log unavailable for reading', () =>
      this.reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS),
    );
    this.input.push(batch);
    if (mode !== 'rebuild') return;
    // In a rebuild, nothing waits for a partition that was read to its end.
    for (const record of batch.records)
      if (this.catchUpOffsets.get(partitionName(record)) === record.offset) this.input.finish(record);
  }

  /** Processes some records and appends their outputs. Returns false if none is left for now. */
  private async step(): Promise<boolean> {
    const { handlers, outputs, snapshots } = this.options;
    if (snapshots) await this.saveDailyCheckpointWhenDue();
    const ready: LogRecord[] = [];
    const count = this.input.consume(
      STEP_RECORDS,
      (record) => void ready.push(record),
      this.dailyCheckpointDueAt ?? undefined,
    );
    this.recordsOfStep = ready;
    this.processedOfStep = 0;
    for (const record of ready) {
      if (isTurnUsedUp()) await nextTurn();
      if (!handlers.process(record)) await handlers.finish(record);
      this.processedOfStep += 1;
      this.newestReceivedAt = record.receivedAt;
      if (outputs.size >= STEP_OUTPUTS_MAX) await this.writeOutputs();
    }
    if (count === 0) {
      // The last record of an input may be a repeat, which is dropped.
      this.checkCaughtUp();
      return false;
    }
    await this.writeOutputs();
    snapshots?.processed(count);
    this.processed += count;
    this.options.onProcessed(count);
    this.checkCaughtUp();
    return count === STEP_RECORDS || this.isDailyCheckpointDue();
  }

  private async writeOutputs(): Promise<void> {
    const { log, outputs, retryPolicy } = this.options;
    while (outputs.size > 0) {
      if (outputs.size > SHARED_TURN_OUTPUTS_MAX) await nextTurn();
      const records = outputs.drain(STEP_OUTPUTS_MAX);
      await retryWhileUnavailable(retryPolicy, 'log unavailable for writing', () => log.append(records));
    }
  }

  /** Saves the daily checkpoint before any record of the next day is processed. */
  private async saveDailyCheckpointWhenDue(): Promise<void> {
    if (!this.isDailyCheckpointDue()) return;
    const { retryPolicy, snapshots } = this.options;
    const position = this.input.position();
    if (this.dailyCheckpointDueAt !== null) {
      const checkpoint = this.checkpoint();
      await retryWhileUnavailable(retryPolicy, 'could not save the daily checkpoint', () =>
        snapshots!.saveDailyCheckpoint(lastMidnight(position), checkpoint),
      );
    }
    this.dailyCheckpointDueAt = nextMidnight(position);
  }

  private isDailyCheckpointDue(): boolean {
    const position = this.input.position();
    return (
      this.options.snapshots !== null &&
      Number.isFinite(position) &&
      position >= (this.dailyCheckpointDueAt ?? position)
    );
  }

  private advance(): void {
    const position = this.input.position();
    if (position <= this.position || !Number.isFinite(position)) return;
    this.position = position;
    const { log, onPosition, outputPartitions } = this.options;
    onPosition(position);
    if (outputPartitions.length === 0) return;
    log.advance(outputPartitions.map(({ topic, partition }) => ({ topic, partition, watermark: position })));
  }

  private checkCaughtUp(): void {
    if (this.catchUpOffsets.size > 0) {
      const offsets = this.input.nextOffsets();
      for (const [name, last] of this.catchUpOffsets) if (offsets.get(name)! > last) this.catchUpOffsets.delete(name);
    }
    if (this.catchUpOffsets.size === 0) this.resolveCaughtUp();
  }

  private checkpoint(): StagePosition {
    const position = this.input.position();
    return {
      offsets: this.input.nextOffsets(),
      inputSeqs: this.input.consumedSeqs(),
      outputSeqs: this.options.outputs.seqs(),
      // After a rebuild has read everything its input position is infinite; the newest processed time is used instead.
      receivedAt: Number.isFinite(position) ? Math.max(position, this.newestReceivedAt) : this.newestReceivedAt,
    };
  }
}

function finiteOrNull(time: number): number | null {
  return Number.isFinite(time) ? time : null;
}
