/** Curves of several accounts together. */
import { type Decimal, ZERO } from '../decimal.ts';
import { type CurvePoint, netDeposits } from './series.ts';

type Curve = readonly CurvePoint[];

/**
 * Returns the second up to which every curve has data: the earliest of their newest points. An account that the venue
 * does not know has no points and limits nothing. Null without any point.
 */
export function dataThrough(curves: readonly Curve[]): number | null {
  const newest = curves.flatMap((curve) => curve.at(-1)?.t ?? []);
  return newest.length === 0 ? null : Math.min(...newest);
}

/** Returns the points up to and including a second. */
export function cutCurve(curve: Curve, through: number | null): Curve {
  return through === null ? [] : curve.filter(({ t }) => t <= through);
}

/**
 * Returns the sum of curves: a point at every second of any of them from the latest first point on, in which each counts
 * with its last point at or before that second. A sum is null where one of its parts is.
 */
export function mergeCurves(curves: readonly Curve[]): CurvePoint[] {
  const known = curves.filter((curve) => curve.length > 0);
  if (known.length === 0) return [];
  const start = Math.max(...known.map((curve) => curve[0]!.t));
  const seconds = [...new Set(known.flatMap((curve) => curve.map(({ t }) => t)))].filter((t) => t >= start);
  const at = known.map(() => 0);
  return seconds
    .sort((a, b) => a - b)
    .map((t) => {
      const parts = known.map((curve, nth) => {
        while ((curve[at[nth]! + 1]?.t ?? Number.POSITIVE_INFINITY) <= t) at[nth]! += 1;
        return curve[at[nth]!]!;
      });
      const nav = sumOrNull(parts.map((part) => part.nav));
      const pnl = sumOrNull(parts.map((part) => part.pnl)) ?? ZERO;
      return { t, nav, netDeposits: netDeposits(nav, pnl), pnl };
    });
}

function sumOrNull(values: readonly (Decimal | null)[]): Decimal | null {
  let sum = 0n;
  for (const value of values) {
    if (value === null) return null;
    sum += value;
  }
  return sum as Decimal;
}
