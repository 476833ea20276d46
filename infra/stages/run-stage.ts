/** Runs a stage: opens it where it stood, and keeps its loop going until it is closed or a fault ends it. */
import type { Logger } from 'pino';
import type { Topic } from '#schemas/topics/topic';
import type { Codec } from '../codec/codec.ts';
import type { EventLog } from '../log/log.ts';
import { partitionName } from '../log/partition-name.ts';
import type { Health } from '../telemetry/health.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { beginningOfProcessor, beginningOfView, type Removed } from './beginning.ts';
import { type CutStore, openCuts } from './cuts.ts';
import { EventHandlers } from './event-handlers.ts';
import { StageOutputs } from './outputs.ts';
import type { Snapshot } from './snapshot.ts';
import { SnapshotTaker } from './snapshot-taker.ts';
import { openSnapshots, type SnapshotStore } from './snapshots.ts';
import type { Stage } from './stage.ts';
import { StageLoop, type StageMode, type StageProgress } from './stage-loop.ts';
import { deadTopicsOf, partitionsOf } from './stage-topics.ts';
import type { Patience } from './until-taken.ts';

export interface RunStageOptions<S> {
  readonly stage: Stage<S>;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health?: Health;
  /** `live` where it is left out. */
  readonly mode?: StageMode;
  /** Begins here instead of at the newest snapshot; inputs that it does not name begin with their first record. */
  readonly startFrom?: Snapshot<S>;
  /** Told after each step how many records were taken since the start. */
  readonly onProgress?: (records: number) => void;
  /** Wall time between two cuts, ms; for tests. */
  readonly cutIntervalMinMs?: number;
}

export interface RunningStage<S> {
  readonly name: string;
  readonly state: S;
  /** Resolves when everything that the inputs held at the start has been taken. */
  readonly caughtUp: Promise<void>;
  /** Resolves when the stage has stopped, and rejects when it stopped by a fault. */
  readonly stopped: Promise<void>;
  /** Event time up to which everything is taken. */
  position(): number;
  /** Event time up to which everything of an input topic is taken; null before any is known. */
  positionOf(topic: Topic): number | null;
  progress(): StageProgress;
  close(): Promise<void>;
}

/** Half a minute of trying. */
const REBUILD_FAILURES_MAX = 12;

/** Rejects with `TrimmedInputError` where retention has removed what the stage would have to begin with. */
export async function runStage<S>(options: RunStageOptions<S>): Promise<RunningStage<S>> {
  const { stage, health, logger } = options;
  const stopping = new AbortController();
  const { loop, state } = await openLoop(options, stopping.signal);
  const stopped = loop.run();
  // A fault is reported through `stopped` and health; it must not end the process as an unhandled rejection.
  stopped.catch((error) => {
    logger.error({ stage: stage.name, error }, 'stage stopped by a fault');
    health?.failed(partOf(stage), error);
  });
  return {
    name: stage.name,
    state,
    caughtUp: loop.caughtUp,
    stopped,
    position: () => loop.position,
    positionOf: (topic) => loop.positionOf(topic.name),
    progress: () => loop.progress(),
    close: async () => {
      stopping.abort();
      await stopped;
    },
  };
}

async function openLoop<S>(options: RunStageOptions<S>, stopping: AbortSignal) {
  const { stage, log, codec, logger, metrics, health, mode = 'live', startFrom } = options;
  const inputs = stage.inputs.map(({ topic }) => topic);
  // A view only reads. Any number of nodes have the same one, and each would write the same letters at each start.
  const writesLetters = mode !== 'view';
  const topics = [...inputs, ...stage.outputs, ...(writesLetters ? deadTopicsOf(stage) : [])];
  await log.createTopics(topics);
  await codec.prepare(topics);

  const kept = mode === 'view' ? null : await openKept(options);
  const snapshot = startFrom ?? (kept && (await newestOf(kept, options)));
  const beginning = kept
    ? await beginningOfProcessor(log, stage.name, inputs, snapshot)
    : await beginningOfView(log, inputs);
  const state = snapshot ? snapshot.state : stage.initialState();
  const outputs = await StageOutputs.open({
    stage: stage.name,
    topics: stage.outputs,
    log,
    codec,
    metrics,
    given: snapshot?.outputSeqs ?? new Map(),
    writesLetters,
  });
  // Whoever waits for a rebuild is told why it does not go on; a service goes on when it can.
  const failuresMax = mode === 'rebuild' ? REBUILD_FAILURES_MAX : undefined;
  const patience: Patience = { part: partOf(stage), logger, health, stopping, ...(failuresMax && { failuresMax }) };
  const [events, position] = [metrics.stageEvents.labels(stage.name), metrics.stagePosition.labels(stage.name)];
  const { cutIntervalMinMs } = options;
  const taken = cutIntervalMinMs === undefined ? {} : { cutIntervalMinMs };
  let total = 0;
  const loop = await StageLoop.open<S>({
    mode,
    log,
    from: beginning.from,
    since: snapshot?.receivedAt ?? null,
    written: partitionsOf(stage.outputs).map(({ at }) => at),
    handlers: new EventHandlers<S>({ stage, state, codec, outputs, logger, patience }),
    outputs,
    snapshots: kept && new SnapshotTaker<S>({ ...kept, ...taken, state, stage: stage.name, logger }),
    patience,
    stopping,
    onStepped: (records) => {
      total += records;
      events.inc(records);
      options.onProgress?.(total);
    },
    onPosition: (at) => position.set(at),
  });
  tellRemoved(options, beginning.removed, loop.caughtUp);
  return { loop, state };
}

interface Kept<S> {
  readonly newest: SnapshotStore<S>;
  readonly cuts: CutStore<S>;
}

async function openKept<S>(options: RunStageOptions<S>): Promise<Kept<S>> {
  return { newest: await openSnapshots<S>(options), cuts: await openCuts<S>(options) };
}

/**
 * The newest snapshot. Where none can be read, the newest cut after which every record is still there: what follows it
 * is stepped again and is written already.
 */
async function newestOf<S>(kept: Kept<S>, { log, stage }: RunStageOptions<S>): Promise<Snapshot<S> | null> {
  const snapshot = await kept.newest.load();
  if (snapshot) return snapshot;
  const inputs = stage.inputs.map(({ topic }) => topic);
  for (const { at, position } of (await kept.cuts.list()).reverse()) {
    const { removed } = await beginningOfProcessor(log, stage.name, inputs, position);
    const cut = removed.length === 0 ? await kept.cuts.load(at) : null;
    if (cut) return cut;
  }
  return null;
}

/** Records that retention removed while the stage was away are missing in its figures for good. */
function tellRemoved<S>(options: RunStageOptions<S>, removed: readonly Removed[], caughtUp: Promise<void>): void {
  if (removed.length === 0) return;
  const { stage, logger, metrics, health } = options;
  for (const { topic, partition, records } of removed) {
    metrics.inputRemoved.inc({ stage: stage.name, topic }, records);
    logger.warn(
      { stage: stage.name, topic, partition, records },
      'records were removed by retention before they were taken; the figures lack them',
    );
  }
  const list = removed.map((at) => `${at.records} of ${partitionName(at)}`).join(', ');
  const text = `records were removed by retention before they were taken: ${list}`;
  health?.setExtra(`missing.${stage.name}`, list);
  health?.degraded(partOf(stage), text);
  // It stays in the extras; the stage itself works as it should once it has taken the rest.
  void caughtUp.then(() => health?.ready(partOf(stage)));
}

function partOf({ name }: Pick<Stage<unknown>, 'name'>): string {
  return `stage ${name}`;
}
