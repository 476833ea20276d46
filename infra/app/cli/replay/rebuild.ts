import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { runSinkOnce } from '#processors/sink/run-sink-once';
import { runStage } from '../../../stages/run-stage.ts';
import type { Snapshot } from '../../../stages/snapshot.ts';
import type { Stage } from '../../../stages/stage.ts';
import { deadTopicsOf, ownTopics } from '../../../stages/stage-topics.ts';
import type { Metrics } from '../../../telemetry/metrics.ts';
import type { Ports } from '../ports.ts';
import { ProgressBars } from '../progress-bar.ts';
import { runSideBySide } from './side-by-side.ts';
import type { ThreadSettings } from './threads/messages.ts';
import { runInThread } from './threads/run-in-thread.ts';

/** A thread costs about a second, which is what a stage needs for some 10,000 records. */
const THREAD_MIN_RECORDS = 10_000;

export interface RebuildOptions {
  readonly ports: Pick<Ports, 'log' | 'store' | 'codec'>;
  /** In the order of the data. */
  readonly stages: readonly Stage<unknown>[];
  /** Snapshots by stage name, for stages that should not start at their newest one. */
  readonly startFrom?: ReadonlyMap<string, Snapshot<unknown>>;
  /**
   * Settings of the log, for stages with many records that run in threads of their own beside those that run in this
   * thread, as many at a time as there are cores. Left out: stages run in this thread, one after the other.
   */
  readonly threads?: ThreadSettings;
  /** Folder of the scratch log, if the log of `ports` is an overlay of it. */
  readonly scratch?: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Text before each bar, such as `rebuild`. */
  readonly label: string;
  /** True to draw progress bars; false if standard error is not a terminal. */
  readonly bars: boolean;
}

/** Runs every stage over the current content of the log, then fills the tables. */
export async function rebuild(options: RebuildOptions): Promise<void> {
  const { ports, logger, metrics } = options;
  await rebuildTopics(options);
  await runSinkOnce({ ...ports, logger, metrics });
}

/** Runs every stage over the current content of the log. A stage starts when those whose outputs it reads are done. */
export async function rebuildTopics(options: RebuildOptions): Promise<void> {
  const { ports, stages, threads } = options;
  // Threads only read: what they need exists before they start.
  const topics = stages.flatMap((stage) => [
    ...stage.inputs.map(({ topic }) => topic),
    ...ownTopics(stage),
    ...deadTopicsOf(stage),
  ]);
  await ports.log.createTopics(topics);
  await ports.codec.prepare(topics);
  const bars = options.bars ? new ProgressBars() : null;
  // A thread copies each record that it writes, too: the first stage of those that run side by side runs here.
  let runningHere = 0;
  try {
    await runSideBySide(stages, threads ? availableParallelism() : 1, async (stage, signal) => {
      const records = await inputRecords(ports, stage);
      const bar = bars?.start(`${options.label} ${stage.name.padEnd(20)}`, 'records', records);
      const onProgress = (processed: number) => bar?.update(processed);
      if (threads && runningHere > 0 && records >= THREAD_MIN_RECORDS)
        await rebuildInThread(options, threads, { stage, onProgress, signal });
      else {
        runningHere += 1;
        await rebuildHere(options, stage, onProgress, signal);
        runningHere -= 1;
      }
      bar?.update(bar.getTotal());
      bar?.stop();
    });
  } finally {
    bars?.stop();
  }
}

async function rebuildHere(
  { ports, startFrom, logger, metrics }: RebuildOptions,
  stage: Stage<unknown>,
  onProgress: (records: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const snapshot = startFrom?.get(stage.name);
  const running = await runStage({
    stage,
    log: ports.log,
    codec: ports.codec,
    logger,
    metrics,
    mode: 'rebuild',
    ...(snapshot ? { startFrom: snapshot } : {}),
    onProgress,
  });
  // Its failure is reported through `stopped`.
  const close = () => void running.close().catch(() => {});
  signal.addEventListener('abort', close);
  // Another stage may have failed while this one was started.
  if (signal.aborted) close();
  await running.stopped.finally(() => signal.removeEventListener('abort', close));
}

function rebuildInThread(
  { ports, startFrom, scratch }: RebuildOptions,
  settings: ThreadSettings,
  { stage, onProgress, signal }: { stage: Stage<unknown>; onProgress: (records: number) => void; signal: AbortSignal },
): Promise<void> {
  const task = {
    settings,
    scratch: scratch ?? null,
    stage: stage.name,
    startFrom: startFrom?.get(stage.name) ?? null,
  };
  return runInThread({ task, log: ports.log, onProgress, signal });
}

async function inputRecords({ log }: RebuildOptions['ports'], stage: Stage<unknown>): Promise<number> {
  let total = 0;
  for (const { topic } of stage.inputs) {
    for (let partition = 0; partition < topic.partitions; partition += 1) {
      const { first, next } = await log.bounds({ topic: topic.name, partition });
      total += next - first;
    }
  }
  return total;
}
