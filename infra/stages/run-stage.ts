/** Runs a stage: opens it at its last position and keeps its loop running until it is closed or fails. */
import type { Logger } from 'pino';
import type { Topic } from '#schemas/topics/topic';
import type { Codec } from '../codec/codec.ts';
import type { EventLog } from '../log/log.ts';
import { partitionName } from '../log/partition-name.ts';
import type { Health } from '../telemetry/health.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type DailyCheckpointStore, openDailyCheckpoints } from './daily-checkpoints.ts';
import { StageOutputs } from './outputs.ts';
import { RecordHandlers } from './record-handlers.ts';
import type { RetryPolicy } from './retry-while-unavailable.ts';
import type { Snapshot } from './snapshot.ts';
import { SnapshotScheduler } from './snapshot-scheduler.ts';
import { openSnapshots, type SnapshotStore } from './snapshots.ts';
import type { Stage } from './stage.ts';
import { StageLoop, type StageMode, type StageProgress } from './stage-loop.ts';
import { deadTopicsOf, partitionsOf } from './stage-topics.ts';
import { type RemovedRecords, resolveStartPosition, resolveViewStartPosition } from './start-position.ts';

export interface RunStageOptions<S> {
  readonly stage: Stage<S>;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health?: Health;
  /** Default: `live`. */
  readonly mode?: StageMode;
  /** Starts here instead of at the newest snapshot; inputs that it does not name start at their first record. */
  readonly startFrom?: Snapshot<S>;
  /** Called after each step with the number of records processed since the start. */
  readonly onProgress?: (records: number) => void;
  /** Minimum wall time between two daily checkpoints, ms; for tests. */
  readonly dailyCheckpointIntervalMinMs?: number;
}

export interface RunningStage<S> {
  readonly name: string;
  readonly state: S;
  /** Resolves when everything that the inputs held at the start has been processed. */
  readonly caughtUp: Promise<void>;
  /** Resolves when the stage has stopped; rejects if it failed. */
  readonly stopped: Promise<void>;
  /** Event time up to which everything is processed. */
  position(): number;
  /** Event time up to which everything of an input topic is processed; null before any is known. */
  positionOf(topic: Topic): number | null;
  progress(): StageProgress;
  close(): Promise<void>;
}

/** About half a minute of retries. */
const REBUILD_FAILURES_MAX = 12;

/** Rejects with `TrimmedInputError` if retention has removed records that the stage would have to start with. */
export async function runStage<S>(options: RunStageOptions<S>): Promise<RunningStage<S>> {
  const { stage, health, logger } = options;
  const stopping = new AbortController();
  const { loop, state } = await openLoop(options, stopping.signal);
  const stopped = loop.run();
  // A failure is reported through `stopped` and health; it must not end the process as an unhandled rejection.
  stopped.catch((error) => {
    logger.error({ stage: stage.name, error }, 'stage failed');
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
  // A view only reads. Any number of nodes have the same one, and each would write the same dead letters at each start.
  const writesDeadLetters = mode !== 'view';
  const topics = [...inputs, ...stage.outputs, ...(writesDeadLetters ? deadTopicsOf(stage) : [])];
  await log.createTopics(topics);
  await codec.prepare(topics);

  const stores = mode === 'view' ? null : await openSnapshotStores(options);
  const snapshot = startFrom ?? (stores && (await loadNewestSnapshot(stores, options)));
  const startPosition = stores
    ? await resolveStartPosition(log, stage.name, inputs, snapshot)
    : await resolveViewStartPosition(log, stage.inputs);
  const state = snapshot ? snapshot.state : stage.initialState();
  const outputs = await StageOutputs.open({
    stage: stage.name,
    topics: stage.outputs,
    log,
    codec,
    metrics,
    outputSeqs: snapshot?.outputSeqs ?? new Map(),
    writesDeadLetters,
  });
  // A rebuild fails after some retries, so that its caller learns the reason; a service retries until it succeeds.
  const failuresMax = mode === 'rebuild' ? REBUILD_FAILURES_MAX : undefined;
  const retryPolicy: RetryPolicy = {
    part: partOf(stage),
    logger,
    health,
    stopping,
    ...(failuresMax && { failuresMax }),
  };
  const [processed, position] = [metrics.stageRecords.labels(stage.name), metrics.stagePosition.labels(stage.name)];
  const { dailyCheckpointIntervalMinMs } = options;
  const interval = dailyCheckpointIntervalMinMs === undefined ? {} : { dailyCheckpointIntervalMinMs };
  let total = 0;
  const loop = await StageLoop.open<S>({
    mode,
    log,
    startOffsets: startPosition.startOffsets,
    since: snapshot?.receivedAt ?? null,
    outputPartitions: partitionsOf(stage.outputs).map(({ at }) => at),
    handlers: new RecordHandlers<S>({
      stage,
      state,
      codec,
      outputs,
      logger,
      retryPolicy,
      // The stages of a rebuild run one after the other.
      sharesValues: mode !== 'rebuild',
    }),
    outputs,
    snapshots: stores && new SnapshotScheduler<S>({ ...stores, ...interval, state, stage: stage.name, logger }),
    retryPolicy,
    stopping,
    onProcessed: (records) => {
      total += records;
      processed.inc(records);
      options.onProgress?.(total);
    },
    onPosition: (at) => position.set(at),
  });
  reportRemoved(options, startPosition.removed, loop.caughtUp);
  return { loop, state };
}

interface SnapshotStores<S> {
  readonly newest: SnapshotStore<S>;
  readonly dailyCheckpoints: DailyCheckpointStore<S>;
}

async function openSnapshotStores<S>(options: RunStageOptions<S>): Promise<SnapshotStores<S>> {
  return { newest: await openSnapshots<S>(options), dailyCheckpoints: await openDailyCheckpoints<S>(options) };
}

/**
 * Loads the newest snapshot. If there is none, loads the newest daily checkpoint after which every record is still
 * stored: the outputs of what follows exist already and are not written again.
 */
async function loadNewestSnapshot<S>(
  stores: SnapshotStores<S>,
  { log, stage }: RunStageOptions<S>,
): Promise<Snapshot<S> | null> {
  const snapshot = await stores.newest.load();
  if (snapshot) return snapshot;
  const inputs = stage.inputs.map(({ topic }) => topic);
  for (const { at, position } of (await stores.dailyCheckpoints.list()).reverse()) {
    const { removed } = await resolveStartPosition(log, stage.name, inputs, position);
    const checkpoint = removed.length === 0 ? await stores.dailyCheckpoints.load(at) : null;
    if (checkpoint) return checkpoint;
  }
  return null;
}

/** Reports records that retention removed while the stage was not running; its figures lack them for good. */
function reportRemoved<S>(
  options: RunStageOptions<S>,
  removed: readonly RemovedRecords[],
  caughtUp: Promise<void>,
): void {
  if (removed.length === 0) return;
  const { stage, logger, metrics, health } = options;
  for (const { topic, partition, records } of removed) {
    metrics.inputRemoved.inc({ stage: stage.name, topic }, records);
    logger.warn(
      { stage: stage.name, topic, partition, records },
      'retention removed records before they were processed; figures are incomplete',
    );
  }
  const list = removed.map((at) => `${at.records} of ${partitionName(at)}`).join(', ');
  const text = `retention removed records before they were processed: ${list}`;
  health?.setExtra(`missing.${stage.name}`, list);
  // A part of its own: the stage's is also degraded while the log is unavailable, and ready once that is over.
  const part = `inputs of ${partOf(stage)}`;
  health?.degraded(part, text);
  // The record counts stay in the extras.
  void caughtUp.then(() => health?.ready(part));
}

function partOf({ name }: Pick<Stage<unknown>, 'name'>): string {
  return `stage ${name}`;
}
