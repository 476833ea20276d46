/** How much a stage has before it, and how long that takes. Pure. */
import type { Backlog } from '../telemetry/health.ts';

/** What was seen of a stage at one moment. */
export interface ProgressSample {
  /** Monotonic ms. */
  readonly at: number;
  /** Records taken since the start. */
  readonly taken: number;
  /** Records in the log that are not taken; null where the log cannot say. */
  readonly left: number | null;
}

/** @param samples oldest first, at least one. */
export function estimateBacklog(stage: string, lagMs: number, samples: readonly ProgressSample[]): Backlog {
  const first = samples[0]!;
  const last = samples[samples.length - 1]!;
  const seconds = (last.at - first.at) / 1_000;
  const recordsPerSecond = seconds > 0 ? Math.round((last.taken - first.taken) / seconds) : null;
  const shrunk = first.left === null || last.left === null ? null : first.left - last.left;
  // What still comes counts too: a backlog that does not shrink has no end.
  const secondsLeft = seconds > 0 && shrunk !== null && shrunk > 0 ? Math.ceil(last.left! / (shrunk / seconds)) : null;
  return { stage, lagSeconds: Math.round(lagMs / 100) / 10, records: last.left, recordsPerSecond, secondsLeft };
}
