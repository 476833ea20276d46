/** The lag of stages over time, as the page has seen it. */
import type { TimeChart } from './series.ts';

export interface Lag {
  readonly stage: string;
  readonly lagMs: number;
}

/** Lags by time, unix ms, ascending. */
export type LagHistory = readonly (readonly [at: number, lags: ReadonlyMap<string, number>])[];

/** Half an hour at one point every few seconds. */
const POINTS_MAX = 600;
/** Lines that differ enough. */
const LINES_MAX = 4;

/** Adds the lags at a time; a stage that runs on several nodes counts with its largest. */
export function addLags(history: LagHistory, at: number, stages: readonly Lag[]): LagHistory {
  if (history.at(-1)?.[0] === at) return history;
  const lags = new Map<string, number>();
  for (const { stage, lagMs } of stages) lags.set(stage, Math.max(lags.get(stage) ?? 0, lagMs));
  return [...history, [at, lags] as const].slice(-POINTS_MAX);
}

/** Lines of the stages that were furthest behind, in ms, and of the furthest of all others. */
export function lagChartOf(history: LagHistory): TimeChart {
  const worst = new Map<string, number>();
  for (const [, lags] of history)
    for (const [stage, lag] of lags) worst.set(stage, Math.max(worst.get(stage) ?? 0, lag));
  const inOrder = [...worst].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([stage]) => stage);
  const [named, others] = [inOrder.slice(0, LINES_MAX), inOrder.slice(LINES_MAX)];
  const largest = (values: readonly (number | undefined)[]) => {
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? null : Math.max(...known);
  };
  const series = named.map((stage) => ({
    label: stage,
    values: history.map(([, lags]) => largest([lags.get(stage)])),
  }));
  if (others.length > 0)
    series.push({
      label: 'all others',
      values: history.map(([, lags]) => largest(others.map((stage) => lags.get(stage)))),
    });
  return { times: history.map(([at]) => at), series };
}
