import type { SingleBar } from 'cli-progress';
import type { Logger } from 'pino';
import { runSinkOnce } from '#processors/sink/run-sink-once';
import { runStage } from '../../../stages/run-stage.ts';
import type { Snapshot } from '../../../stages/snapshot.ts';
import type { Stage } from '../../../stages/stage.ts';
import type { Metrics } from '../../../telemetry/metrics.ts';
import type { Ports } from '../ports.ts';
import { startProgressBar } from './progress-bar.ts';

export interface RebuildOptions {
  readonly ports: Pick<Ports, 'log' | 'store' | 'codec'>;
  /** In the order of the data. */
  readonly stages: readonly Stage<unknown>[];
  /** Snapshots by stage name, for stages that should not start at their newest one. */
  readonly startFrom?: ReadonlyMap<string, Snapshot<unknown>>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Text before each bar, such as `rebuild`. */
  readonly label: string;
  /** True to draw progress bars; false if standard error is not a terminal. */
  readonly bars: boolean;
}

/** Runs every stage over the current content of the log, one after the other, then fills the tables. */
export async function rebuild(options: RebuildOptions): Promise<void> {
  const { ports, logger, metrics } = options;
  await rebuildTopics(options);
  await runSinkOnce({ ...ports, logger, metrics });
}

/** Runs every stage over the current content of the log, one after the other. */
export async function rebuildTopics(options: RebuildOptions): Promise<void> {
  const { ports, logger, metrics } = options;
  for (const stage of options.stages) {
    const startFrom = options.startFrom?.get(stage.name);
    const bar = await startBar(options, stage);
    const running = await runStage({
      stage,
      log: ports.log,
      codec: ports.codec,
      logger,
      metrics,
      mode: 'rebuild',
      ...(startFrom ? { startFrom } : {}),
      onProgress: (records) => bar?.update(records),
    });
    await running.stopped;
    bar?.stop();
  }
}

async function startBar({ bars, label, ports }: RebuildOptions, stage: Stage<unknown>): Promise<SingleBar | null> {
  if (!bars) return null;
  let total = 0;
  for (const { topic } of stage.inputs) {
    for (let partition = 0; partition < topic.partitions; partition += 1) {
      const { first, next } = await ports.log.bounds({ topic: topic.name, partition });
      total += next - first;
    }
  }
  return startProgressBar(`${label} ${stage.name.padEnd(20)}`, 'records', total);
}
