/** The time-weighted return: what each stretch between two flows returned, multiplied. */
import { type Decimal, divideHalfEven, UNIT } from '../decimal.ts';
import type { KnownFlow } from './flows.ts';

/** The product has 36 decimals until the end, so that the rounding of many flows does not add up. */
const PRECISE = UNIT * UNIT;

/** A point that can anchor a window. */
export interface RoiPoint {
  /** Unix ms. */
  readonly ts: number;
  readonly nav: Decimal;
  /** Profit since any fixed time; null where it follows from values and flows, as of snapshots. */
  readonly pnl: Decimal | null;
}

export interface LinkedWindow {
  /** Points of the source, ascending. */
  readonly points: readonly RoiPoint[];
  /** The point that anchors the start. */
  readonly start: RoiPoint;
  readonly startNav: Decimal;
  readonly endNav: Decimal;
  /** Flows of the window, ascending. */
  readonly flows: readonly KnownFlow[];
  /** These and the flows between the start's point and the start. */
  readonly allFlows: readonly KnownFlow[];
}

/**
 * Each flow ends a stretch. The value just before it is the value at the start of the stretch and the PnL since, as the
 * last point at or before the flow states it. Null where a stretch begins without a value above zero.
 */
export function chainLinked({ points, start, startNav, endNav, flows, allFlows }: LinkedWindow): Decimal | null {
  const pnlAt = profitsSince(start, points, allFlows);
  let factor = PRECISE;
  let base: bigint = startNav;
  let pnlOfBase = 0n;
  for (const { ts, usd } of flows) {
    if (base <= 0n) return null;
    const pnl = pnlAt(ts);
    const before = base + pnl - pnlOfBase;
    factor = divideHalfEven(factor * before, base);
    base = before + usd;
    pnlOfBase = pnl;
  }
  if (base <= 0n) return null;
  return (divideHalfEven(divideHalfEven(factor * endNav, base), UNIT) - UNIT) as Decimal;
}

/**
 * Returns the function from an ascending time to the profit since a point, by the last point at or before that time.
 * @param flows ascending, all of them after the point.
 */
export function profitsSince(start: RoiPoint, points: readonly RoiPoint[], flows: readonly KnownFlow[]) {
  let at = points.indexOf(start);
  let flow = 0;
  let deposited = 0n;
  return (ts: number): bigint => {
    while ((points[at + 1]?.ts ?? Number.POSITIVE_INFINITY) <= ts) at += 1;
    const point = points[at]!;
    if (point.pnl !== null && start.pnl !== null) return point.pnl - start.pnl;
    for (; flow < flows.length && flows[flow]!.ts <= point.ts; flow += 1) deposited += flows[flow]!.usd;
    return point.nav - start.nav - deposited;
  };
}
