/** How much a stage has before it, and how long that takes. Pure. */
import type { Backlog } from '../telemetry/health.ts';

/** What was seen of a stage at one moment. */
export interface ProgressSample {
  /** Monotonic ms. */
  readonly at: number;
  readonly lagMs: number;
  /** Records taken since the start. */
  readonly taken: number;
  /** Records in the log that are not taken; null where the log cannot say. */
  readonly left: number | null;
}

/**
 * The time left follows from the lag and not from the records: a stage that waits for another one has few records left,
 * and what still comes counts too.
 * @param lagMs the lag now. @param samples oldest first, at least one.
 */
export function estimateBacklog(stage: string, lagMs: number, samples: readonly ProgressSample[]): Backlog {
  const first = samples[0]!;
  const last = samples[samples.length - 1]!;
  const seconds = (last.at - first.at) / 1_000;
  const recordsPerSecond = seconds > 0 ? Math.round((last.taken - first.taken) / seconds) : null;
  const shrunkMs = first.lagMs - last.lagMs;
  const secondsLeft = seconds > 0 && shrunkMs > 0 ? Math.ceil(lagMs / (shrunkMs / seconds)) : null;
  return { stage, lagSeconds: Math.round(lagMs / 100) / 10, records: last.left, recordsPerSecond, secondsLeft };
}
