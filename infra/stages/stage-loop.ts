/**
 * The loop of a stage: read in the merged order, step, write, pass the watermark on, snapshot. A crash at any line is
 * repaired by the next start: the newest snapshot, the tail after it, and outputs that the log holds already are not
 * written again.
 */
import { setImmediate as yieldToIo } from 'node:timers/promises';
import type { EventLog, LogReader, LogRecord, TopicPartition } from '../log/log.ts';
import { partitionName } from '../log/partition-name.ts';
import type { InputBeginning } from './beginning.ts';
import { lastMidnight, nextMidnight } from './cuts.ts';
import type { EventHandlers } from './event-handlers.ts';
import { MergedInput } from './merge.ts';
import type { StageOutputs } from './outputs.ts';
import type { StagePosition } from './snapshot.ts';
import type { SnapshotTaker } from './snapshot-taker.ts';
import { type Patience, untilTaken } from './until-taken.ts';

/** Records asked of the log at a time. */
const POLL_RECORDS = 2_048;
const POLL_TIMEOUT_MS = 250;
/** Records stepped before outputs are written and other work gets its turn. */
const STEP_RECORDS = 512;

/**
 * `live`: goes on for ever, waits for watermarks. `view`: like live, but takes records as they come, for views whose
 * topics do not depend on one another; keeps no snapshots. `rebuild`: takes what the log holds in merged order, without
 * waiting for watermarks, then stops by itself.
 */
export type StageMode = 'live' | 'view' | 'rebuild';

export interface StageLoopOptions<S> {
  readonly mode: StageMode;
  readonly log: EventLog;
  readonly from: readonly InputBeginning[];
  /** Event time up to which everything is in the state, unix ms; null at its beginning. */
  readonly since: number | null;
  /** Every partition of the outputs. */
  readonly written: readonly TopicPartition[];
  readonly handlers: EventHandlers<S>;
  readonly outputs: StageOutputs;
  /** Null keeps none. */
  readonly snapshots: SnapshotTaker<S> | null;
  readonly patience: Patience;
  readonly stopping: AbortSignal;
  /** Told after each step how many records it took. */
  readonly onStepped: (records: number) => void;
  /** Told when the position has risen. */
  readonly onPosition: (position: number) => void;
}

/** How far a stage has come. */
export interface StageProgress {
  /** Event time up to which everything is taken, unix ms; null before any is known. */
  readonly position: number | null;
  /** The newest time that an input is known to have come to; null before any is known. */
  readonly newest: number | null;
  /** Records taken since the start. */
  readonly taken: number;
  /** Bytes of the records that were read and are not let go of. */
  readonly heldBytes: number;
  /** The next offset to take of each input partition. */
  readonly offsets: readonly (TopicPartition & { readonly offset: number })[];
}

export class StageLoop<S> {
  /** Resolves when everything that the inputs held at the start has been taken. */
  readonly caughtUp: Promise<void>;
  /** Event time up to which everything is taken. */
  position = Number.NEGATIVE_INFINITY;
  private taken = 0;
  private readonly options: StageLoopOptions<S>;
  private readonly input: MergedInput;
  private readonly reader: LogReader;
  /** Last offset that each input held at the start and that is not taken yet. */
  private readonly behind: Map<string, number>;
  private resolveCaughtUp: () => void = () => {};
  /** Receive time of the newest record that was taken. */
  private takenAt: number;
  /** The next midnight at which a cut is due; null while no time is known. */
  private cutAt: number | null;

  private constructor(options: StageLoopOptions<S>, reader: LogReader, behind: Map<string, number>) {
    const { from, mode, since } = options;
    this.options = options;
    this.reader = reader;
    this.behind = behind;
    this.takenAt = since ?? 0;
    this.cutAt = since === null ? null : nextMidnight(since);
    this.input = new MergedInput(from, (at, paused) => reader.pause(at, paused), mode !== 'view');
    if (mode === 'rebuild') {
      for (const at of from) if (!behind.has(partitionName(at))) this.input.finish(at);
    }
    this.caughtUp = new Promise((resolve) => {
      this.resolveCaughtUp = resolve;
    });
    this.checkCaughtUp();
  }

  static async open<S>(options: StageLoopOptions<S>): Promise<StageLoop<S>> {
    const behind = new Map<string, number>();
    for (const at of options.from) {
      const last = await options.log.last(at);
      if (last && last.offset >= at.offset) behind.set(partitionName(at), last.offset);
    }
    return new StageLoop(options, await options.log.reader(options.from), behind);
  }

  progress(): StageProgress {
    const offsets = this.input.nextOffsets();
    return {
      position: finiteOrNull(this.position) ?? this.options.since,
      newest: finiteOrNull(this.input.newest()),
      taken: this.taken,
      heldBytes: this.input.heldBytes(),
      offsets: this.options.from.map(({ topic, partition }) => ({
        topic,
        partition,
        offset: offsets.get(partitionName({ topic, partition }))!,
      })),
    };
  }

  /** Event time up to which everything of an input topic is taken; null before any is known. */
  positionOf(topic: string): number | null {
    return finiteOrNull(this.input.positionOf(topic));
  }

  async run(): Promise<void> {
    const { mode, snapshots, stopping } = this.options;
    try {
      while (!stopping.aborted && !(mode === 'rebuild' && this.behind.size === 0)) {
        await this.poll();
        while (!stopping.aborted && (await this.step())) await yieldToIo();
        this.advance();
        await snapshots?.saveWhenDue(() => this.standing());
        await yieldToIo();
      }
      // A stop can fall between the last event of a day and its cut; a start from the snapshot below would pass it over.
      if (snapshots) await this.cutWhenDue();
      await snapshots?.saveIfStepped(() => this.standing());
    } finally {
      await this.reader.close();
    }
  }

  private async poll(): Promise<void> {
    const { mode, patience, stopping } = this.options;
    const batch = await untilTaken(patience, 'the log gives nothing', () =>
      this.reader.poll(POLL_RECORDS, stopping.aborted ? 0 : POLL_TIMEOUT_MS),
    );
    this.input.push(batch);
    if (mode !== 'rebuild') return;
    // In a rebuild, a partition that was read to its end holds nothing back any more.
    for (const record of batch.records)
      if (this.behind.get(partitionName(record)) === record.offset) this.input.finish(record);
  }

  /** Takes some records through the handlers and writes what came of them. False when none is left for now. */
  private async step(): Promise<boolean> {
    const { handlers, log, outputs, patience, snapshots } = this.options;
    if (snapshots) await this.cutWhenDue();
    const ready: LogRecord[] = [];
    const taken = this.input.take(STEP_RECORDS, (record) => void ready.push(record), this.cutAt ?? undefined);
    for (const record of ready) {
      if (!handlers.take(record)) await handlers.learnAndTake(record);
      this.takenAt = record.receivedAt;
    }
    if (taken === 0) return false;
    const written = outputs.drain();
    if (written.length > 0) await untilTaken(patience, 'the log takes nothing', () => log.append(written));
    snapshots?.stepped(taken);
    this.taken += taken;
    this.options.onStepped(taken);
    this.checkCaughtUp();
    return taken === STEP_RECORDS || this.isCutDue();
  }

  /** Nothing of the next day is taken before the cut at its midnight is kept. */
  private async cutWhenDue(): Promise<void> {
    if (!this.isCutDue()) return;
    const { patience, snapshots } = this.options;
    const position = this.input.position();
    if (this.cutAt !== null) {
      const standing = this.standing();
      await untilTaken(patience, 'the cut of a day is not taken', () =>
        snapshots!.cut(lastMidnight(position), standing),
      );
    }
    this.cutAt = nextMidnight(position);
  }

  private isCutDue(): boolean {
    const position = this.input.position();
    return this.options.snapshots !== null && Number.isFinite(position) && position >= (this.cutAt ?? position);
  }

  private advance(): void {
    const position = this.input.position();
    if (position <= this.position || !Number.isFinite(position)) return;
    this.position = position;
    const { log, onPosition, written } = this.options;
    onPosition(position);
    if (written.length === 0) return;
    log.advance(written.map(({ topic, partition }) => ({ topic, partition, watermark: position })));
  }

  private checkCaughtUp(): void {
    if (this.behind.size > 0) {
      const offsets = this.input.nextOffsets();
      for (const [name, last] of this.behind) if (offsets.get(name)! > last) this.behind.delete(name);
    }
    if (this.behind.size === 0) this.resolveCaughtUp();
  }

  private standing(): StagePosition {
    const position = this.input.position();
    return {
      offsets: this.input.nextOffsets(),
      inputSeqs: this.input.takenSeqs(),
      outputSeqs: this.options.outputs.seqs(),
      // A rebuild that has read all is behind every time there is, and a start in front of it.
      receivedAt: Number.isFinite(position) ? Math.max(position, this.takenAt) : this.takenAt,
    };
  }
}

function finiteOrNull(time: number): number | null {
  return Number.isFinite(time) ? time : null;
}
