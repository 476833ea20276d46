/** Curves from our own snapshots of an account, and what stands in for them where an account has too few. */
import type { Decimal } from '../decimal.ts';
import type { RoiPoint } from './chain-linked.ts';
import { type Flow, type FlowHistory, type FlowProblem, flowsBetween, sumOfFlows } from './flows.ts';
import type { SeriesPoint } from './series.ts';

/** A snapshot of an hour. */
export interface HourValue {
  /** The hour mark, ms. */
  readonly hour: number;
  /** When the value was that of the account, ms: up to ten minutes after the mark. */
  readonly asOf: number;
  readonly nav: Decimal;
}

/** A point of a curve of values; `netDeposits` is null from the first flow of unknown amount on. */
export interface NavPoint {
  /** Unix seconds. */
  readonly t: number;
  readonly nav: Decimal;
  readonly netDeposits: Decimal | null;
}

/** Points of a curve from snapshots; an account with fewer than two has none. */
export const SNAPSHOTS_MAX = 2_000;
const SNAPSHOTS_MIN = 2;
/** Flows that are not followed are left out of an estimate. */
const ALL_KNOWN = { knownFrom: Number.NEGATIVE_INFINITY, knownThrough: Number.POSITIVE_INFINITY };

/** Returns whether an account has enough snapshots for a curve. */
export const isCovered = (snapshots: readonly HourValue[]): boolean => snapshots.length >= SNAPSHOTS_MIN;

/**
 * Returns the curve of the snapshots of a window of an account that is covered: net deposits are the first value and the
 * flows since then.
 * @param snapshots ascending by hour.
 */
export function snapshotCurve(snapshots: readonly HourValue[], history: FlowHistory): NavPoint[] {
  const newest = snapshots.slice(-SNAPSHOTS_MAX);
  const first = newest[0];
  if (!first) return [];
  let before = first.asOf;
  let sum: Decimal | null = first.nav;
  return newest.map(({ hour, asOf, nav }) => {
    const { flows } = flowsBetween(history, before, asOf);
    sum = sum === null || flows === null ? null : ((sum + sumOfFlows(flows)) as Decimal);
    before = asOf;
    return { t: Math.floor(hour / 1000), nav, netDeposits: sum };
  });
}

/**
 * Returns what a snapshot states as a point at its hour mark: the value without the flows between the mark and the time
 * of the value. Returns why there is none if these are not known: the value at the mark is not known then.
 */
export function pointAtMark({ hour, asOf, nav }: HourValue, history: FlowHistory): RoiPoint | FlowProblem {
  const { flows, problem } = flowsBetween(history, hour, asOf);
  return problem ?? { ts: hour, nav: (nav - sumOfFlows(flows)) as Decimal, pnl: null };
}

/**
 * Returns the curve of values that the PnL of the venue implies: net deposits are the current value less the current PnL
 * and the flows known since the point. An estimate where flows are not followed. A point before a flow of unknown amount is
 * left out: its value is not known.
 * @param points a series without values.
 */
export function impliedNavCurve(points: readonly SeriesPoint[], nav: Decimal, flows: readonly Flow[]): NavPoint[] {
  const current = points.at(-1);
  if (!current) return [];
  return points.flatMap(({ ts, pnl }) => {
    const { flows: since } = flowsBetween({ ...ALL_KNOWN, flows }, ts, Number.POSITIVE_INFINITY);
    if (since === null) return [];
    const deposits = (nav - current.pnl - sumOfFlows(since)) as Decimal;
    return [{ t: Math.floor(ts / 1000), nav: (deposits + pnl) as Decimal, netDeposits: deposits }];
  });
}
