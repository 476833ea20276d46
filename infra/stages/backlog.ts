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

/** Shortest time over which the pace of a stage is estimated. */
const PACE_MS_MIN = 5_000;
/** A pace that changed by more than this factor between the two halves of the samples estimates nothing. */
const PACE_CHANGE_MAX = 3;

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
  const pace = steadyPace(samples);
  const secondsLeft = pace === null ? null : Math.ceil(lagMs / 1_000 / pace);
  return { stage, lagSeconds: Math.round(lagMs / 100) / 10, records: last.remaining, recordsPerSecond, secondsLeft };
}

/**
 * Ms of lag that a stage catches up per ms. Null while it is unknown or changes: the lag must shrink in both halves of
 * the samples, at a similar pace.
 */
function steadyPace(samples: readonly ProgressSample[]): number | null {
  const first = samples[0]!;
  const middle = samples[Math.floor((samples.length - 1) / 2)]!;
  const last = samples[samples.length - 1]!;
  if (last.at - first.at < PACE_MS_MIN) return null;
  const [before, after] = [paceOf(first, middle), paceOf(middle, last)];
  if (!(Math.min(before, after) > 0) || Math.max(before, after) > PACE_CHANGE_MAX * Math.min(before, after))
    return null;
  return paceOf(first, last);
}

function paceOf(from: ProgressSample, to: ProgressSample): number {
  return (from.lagMs - to.lagMs) / (to.at - from.at);
}
