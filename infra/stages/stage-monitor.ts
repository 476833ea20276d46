/**
 * Reports how far stages are behind: in `/health`, in the log and in `/metrics`. A stage that lags returns old figures,
 * and nothing else would show it, since it keeps writing records as fast as it can.
 */
import type { Logger } from 'pino';
import { type EventLog, LogError } from '../log/log.ts';
import type { Running } from '../runtime/context.ts';
import { pause } from '../runtime/pause.ts';
import type { Backlog, Health } from '../telemetry/health.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { estimateBacklog, type ProgressSample } from './backlog.ts';
import { LAG_MAX_MS, type PipelineClock } from './pipeline-clock.ts';
import type { RunningStage } from './run-stage.ts';

const INTERVAL_MS = 500;
const LOG_INTERVAL_MS = 10_000;
/** Lag below which stages that were behind count as up to date: a lag around the limit must not fill the log. */
const RECOVERED_MS = LAG_MAX_MS / 2;
/** Samples from which rates are calculated: ten seconds. */
const SAMPLES_MAX = 21;
const NOTHING_SAMPLED: ProgressSample = { at: 0, lagMs: 0, processed: 0, remaining: null };

type Observed = Pick<RunningStage<unknown>, 'name' | 'progress'>;

export interface StageMonitorOptions {
  readonly stages: readonly Observed[];
  readonly clock: Pick<PipelineClock, 'isLive' | 'now'>;
  readonly log: Pick<EventLog, 'bounds'>;
  readonly logger: Logger;
  readonly health: Health;
  readonly metrics: Metrics;
}

/**
 * Samples stages until it is closed.
 * @param onFault called if sampling ends with an error.
 */
export function monitorStages(options: StageMonitorOptions, onFault: (error: unknown) => void): Running {
  const closing = new AbortController();
  const monitor = new StageMonitor(options);
  const run = async () => {
    while (await pause(INTERVAL_MS, closing.signal)) await monitor.sample();
  };
  run().catch(onFault);
  return {
    // An unavailable log may leave a sample pending for long, so closing does not wait for it.
    async close() {
      closing.abort();
      monitor.unregister();
    },
  };
}

/** Samples stages on demand. */
export class StageMonitor {
  private readonly options: StageMonitorOptions;
  private readonly samples = new Map<string, ProgressSample[]>();
  /** Remaining records when the stage was last sampled. */
  private readonly remaining = new Map<string, number | null>();
  private wasBehind = false;
  private unregistered = false;
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: StageMonitorOptions) {
    this.options = options;
    for (const stage of options.stages) {
      options.metrics.stageLags.set(stage.name, {
        seconds: () => this.lagMs(stage) / 1_000,
        records: () => this.remaining.get(stage.name) ?? null,
        heldBytes: () => stage.progress().heldBytes,
        position: () => stage.progress().position,
        processed: () => stage.progress().processed,
      });
      options.health.watchBacklog(stage.name, () => {
        const backlog = this.backlogOf(stage);
        return backlog && { backlog, isLive: options.clock.isLive() };
      });
    }
  }

  /** Removes the stages from the metrics and from /health. */
  unregister(): void {
    const { stages, metrics, health } = this.options;
    this.unregistered = true;
    for (const { name } of stages) {
      metrics.stageLags.delete(name);
      health.watchBacklog(name, null);
    }
  }

  /** Determines which stages are behind and reports it. */
  async sample(): Promise<void> {
    const { stages, clock } = this.options;
    const all = await Promise.all(stages.map((stage) => this.countRemaining(stage)));
    if (this.unregistered) return;
    for (const [index, stage] of stages.entries()) this.addSample(stage, all[index]!);
    if (clock.isLive()) this.report(stages.flatMap((stage) => this.backlogOf(stage) ?? []));
  }

  private addSample(stage: Observed, remaining: number | null): void {
    const samples = this.samples.get(stage.name) ?? [];
    this.samples.set(stage.name, samples);
    this.remaining.set(stage.name, remaining);
    samples.push({ at: performance.now(), lagMs: this.lagMs(stage), processed: stage.progress().processed, remaining });
    if (samples.length > SAMPLES_MAX) samples.shift();
  }

  /** The current backlog of the stage; null if it is not behind. */
  private backlogOf(stage: Observed): Backlog | null {
    const lagMs = this.lagMs(stage);
    if (lagMs <= LAG_MAX_MS) return null;
    return estimateBacklog(stage.name, lagMs, this.samples.get(stage.name) ?? [NOTHING_SAMPLED]);
  }

  /** Age of what the stage has derived, ms; 0 while nothing is known of its inputs. */
  private lagMs(stage: Observed): number {
    const { position, newest } = stage.progress();
    const now = this.options.clock.now(newest);
    return position === null || now === null ? 0 : Math.max(0, now - position);
  }

  /** Returns null while the log is unavailable, which the stage itself reports. */
  private async countRemaining(stage: Observed): Promise<number | null> {
    try {
      const remaining = stage.progress().offsets.map(async (at) => {
        const { next } = await this.options.log.bounds(at);
        return Math.max(0, next - at.offset);
      });
      return (await Promise.all(remaining)).reduce((sum, records) => sum + records, 0);
    } catch (error) {
      if (error instanceof LogError) return null;
      throw error;
    }
  }

  private report(behind: readonly Backlog[]): void {
    const { logger } = this.options;
    if (behind.length === 0) {
      if (!this.wasBehind || this.options.stages.some((stage) => this.lagMs(stage) > RECOVERED_MS)) return;
      logger.info('all stages are up to date again');
      this.wasBehind = false;
      return;
    }
    if (this.wasBehind && performance.now() - this.loggedAt < LOG_INTERVAL_MS) return;
    this.wasBehind = true;
    this.loggedAt = performance.now();
    const worst = behind.reduce((a, b) => (b.lagSeconds > a.lagSeconds ? b : a));
    logger.warn({ backlog: behind }, `stages are behind: ${behind.length}, the furthest by ${worst.lagSeconds} s`);
  }
}
