/** Estimates the backlog of a stage and the time until it has caught up. Pure. */
import type { Backlog } from '../telemetry/health.ts';

/** Progress of a stage at one moment. */
export interface ProgressSample {
  /** Monotonic ms. */
  readonly at: number;
  readonly lagMs: number;
  /** Records processed since the start. */
  readonly processed: number;
  /** Records in the log that the stage has yet to process; null if unknown. */
  readonly remaining: number | null;
}

/**
 * Estimates the remaining time from the lag and not from the record count: a stage that waits for another one has few
 * records left, and records that still arrive count too.
 * @param lagMs the lag now.
 * @param samples oldest first, at least one.
 */
export function estimateBacklog(stage: string, lagMs: number, samples: readonly ProgressSample[]): Backlog {
  const first = samples[0]!;
  const last = samples[samples.length - 1]!;
  const seconds = (last.at - first.at) / 1_000;
  const recordsPerSecond = seconds > 0 ? Math.round((last.processed - first.processed) / seconds) : null;
  const shrunkMs = first.lagMs - last.lagMs;
  const secondsLeft = seconds > 0 && shrunkMs > 0 ? Math.ceil(lagMs / (shrunkMs / seconds)) : null;
  return { stage, lagSeconds: Math.round(lagMs / 100) / 10, records: last.remaining, recordsPerSecond, secondsLeft };
}
