/** The profit over the window of a return, at points of the source that anchors it. */
import { type Decimal, ZERO } from '../decimal.ts';
import { profitsSince } from './chain-linked.ts';
import type { ReadyRoi } from './roi.ts';

/** A point of a curve of profit. */
export interface PnlPoint {
  /** Unix seconds. */
  readonly t: number;
  /** Profit since the start of the window, USD. */
  readonly pnl: Decimal;
}

/**
 * Returns the curve, ascending: 0 at the start of the window, the profit by each point of the source within it, and the
 * profit of the whole window at its end. Of several points in one second the last counts.
 * @param pointsMax at least 2; of more points, equally many are left out between those that remain.
 */
export function pnlCurve({ figures, window }: ReadyRoi, pointsMax: number): PnlPoint[] {
  const { points, start, from, to, allFlows } = window;
  const first = secondOf(from);
  const pnlAt = profitsSince(start, points, allFlows);
  const curve = new Map<number, Decimal>([[first, ZERO]]);
  for (const { ts } of points)
    if (ts > from && ts < to && secondOf(ts) > first) curve.set(secondOf(ts), pnlAt(ts) as Decimal);
  curve.set(secondOf(to), figures.netPnl);
  return thinned([...curve], pointsMax).map(([t, pnl]) => ({ t, pnl }));
}

const secondOf = (ms: number) => Math.floor(ms / 1000);

/** The first, the last, and as many between them as there is room for. */
function thinned<T>(all: readonly T[], max: number): readonly T[] {
  if (all.length <= max) return all;
  return Array.from({ length: max }, (_, nth) => all[Math.round((nth * (all.length - 1)) / (max - 1))]!);
}
