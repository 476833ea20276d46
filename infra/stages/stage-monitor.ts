/**
 * Reports how far stages are behind: in `/health`, in the log and in `/metrics`. A stage that lags makes its figures old,
 * and nothing else would say so, since it goes on writing records as fast as it can.
 */
import type { Logger } from 'pino';
import type { Running } from '../context.ts';
import { type EventLog, LogError } from '../log/log.ts';
import { pause } from '../pause.ts';
import type { Backlog, Health } from '../telemetry/health.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { estimateBacklog, type ProgressSample } from './backlog.ts';
import { LAG_MAX_MS, type PipelineClock } from './pipeline-clock.ts';
import type { RunningStage } from './run-stage.ts';

const INTERVAL_MS = 500;
const LOG_INTERVAL_MS = 10_000;
/** Samples that rates are worked out from: five seconds. */
const SAMPLES_MAX = 10;

type Observed = Pick<RunningStage<unknown>, 'name' | 'progress'>;

export interface StageMonitorOptions {
  readonly stages: readonly Observed[];
  readonly clock: Pick<PipelineClock, 'isLive' | 'now'>;
  readonly log: Pick<EventLog, 'bounds'>;
  readonly logger: Logger;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** Watches stages until it is closed. */
export function monitorStages(options: StageMonitorOptions): Running {
  const closing = new AbortController();
  const monitor = new StageMonitor(options);
  const run = async () => {
    while (await pause(INTERVAL_MS, closing.signal)) await monitor.look();
  };
  const running = run();
  return {
    async close() {
      closing.abort();
      await running;
      monitor.forget();
    },
  };
}

/** Looks at stages whenever it is asked to. */
export class StageMonitor {
  private readonly options: StageMonitorOptions;
  private readonly samples = new Map<string, ProgressSample[]>();
  private wasBehind = false;
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: StageMonitorOptions) {
    this.options = options;
    for (const stage of options.stages) {
      options.metrics.stageLags.set(stage.name, {
        seconds: () => this.lagMs(stage) / 1_000,
        records: () => this.recordsLeft(stage),
      });
    }
  }

  /** Takes the stages out of the metrics. */
  forget(): void {
    for (const { name } of this.options.stages) this.options.metrics.stageLags.delete(name);
  }

  /** Works out which stages are behind, and reports it. */
  async look(): Promise<void> {
    const { stages, clock, health } = this.options;
    const behind: Backlog[] = [];
    for (const stage of stages) {
      const lagMs = this.lagMs(stage);
      if (lagMs <= LAG_MAX_MS) this.samples.delete(stage.name);
      else behind.push(await this.backlogOf(stage, lagMs));
      health.backlog(stage.name, behind.find((one) => one.stage === stage.name) ?? null, clock.isLive());
    }
    if (clock.isLive()) this.report(behind);
  }

  /** Age of what the stage has derived; 0 while nothing is known of its inputs. */
  private lagMs(stage: Observed): number {
    const { position, newest } = stage.progress();
    const now = this.options.clock.now(newest);
    return position === null || now === null ? 0 : Math.max(0, now - position);
  }

  /** Null while the log is away, which the stage itself reports. */
  private async recordsLeft(stage: Observed): Promise<number | null> {
    let left = 0;
    try {
      for (const at of stage.progress().offsets) {
        const { next } = await this.options.log.bounds(at);
        left += Math.max(0, next - at.offset);
      }
    } catch (error) {
      if (error instanceof LogError) return null;
      throw error;
    }
    return left;
  }

  private async backlogOf(stage: Observed, lagMs: number): Promise<Backlog> {
    const samples = this.samples.get(stage.name) ?? [];
    this.samples.set(stage.name, samples);
    const left = await this.recordsLeft(stage);
    samples.push({ at: performance.now(), taken: stage.progress().taken, left });
    if (samples.length > SAMPLES_MAX) samples.shift();
    return estimateBacklog(stage.name, lagMs, samples);
  }

  private report(behind: readonly Backlog[]): void {
    const { logger } = this.options;
    if (behind.length === 0) {
      if (this.wasBehind) logger.info('all stages are up to date again');
      this.wasBehind = false;
      return;
    }
    if (this.wasBehind && performance.now() - this.loggedAt < LOG_INTERVAL_MS) return;
    this.wasBehind = true;
    this.loggedAt = performance.now();
    const worst = behind.reduce((a, b) => (b.lagSeconds > a.lagSeconds ? b : a));
    logger.warn({ backlog: behind }, `${behind.length} stages are behind, the furthest by ${worst.lagSeconds} s`);
  }
}
