/** The return of an account over a window (contract, Money: NAV, curves, returns). */
import { type Decimal, divideHalfEven, UNIT } from '../decimal.ts';
import { chainLinked, type RoiPoint } from './chain-linked.ts';
import { type FlowHistory, type FlowProblem, flowsBetween, type KnownFlow, sumOfFlows } from './flows.ts';

/** Greatest age of a point at the start or the end that it anchors, ms. */
export const ANCHOR_MS = 3 * 3_600_000;

export interface RoiInput {
  /** Points of each source, ascending; the preferred source first: snapshots, then the venue's series, the finest first. */
  readonly sources: readonly (readonly RoiPoint[])[];
  readonly history: FlowHistory;
  /** Start, ms; null for the first point of all. */
  readonly from: number | null;
  /** End, ms; null for the current value. */
  readonly to: number | null;
  /** The current value and its time, ms; null if it is not known. */
  readonly current: { readonly ts: number; readonly nav: Decimal } | null;
}

export type RoiReason = 'not_anchored' | 'no_value' | FlowProblem;

/** Rates are fractions with 18 decimals, half to even; null where the denominator is not above zero. */
export interface RoiFigures {
  /** Times of the points that anchor start and end, ms. */
  readonly startAt: number;
  readonly endAt: number;
  readonly mwr: Decimal | null;
  readonly twr: Decimal | null;
  readonly simple: Decimal | null;
  readonly netPnl: Decimal;
  readonly netDeposits: Decimal;
  readonly startNav: Decimal;
  readonly endNav: Decimal;
  /** After the start, up to the end. */
  readonly flows: readonly KnownFlow[];
}

/** The points and flows that a return follows from. */
export interface RoiBasis {
  /** Points of the source that anchors the window, ascending. */
  readonly points: readonly RoiPoint[];
  /** The point that anchors the start. */
  readonly start: RoiPoint;
  /** Start and end of the window, ms. */
  readonly from: number;
  readonly to: number;
  /** Flows since the point that anchors the start, ascending. */
  readonly allFlows: readonly KnownFlow[];
}

export interface ReadyRoi {
  readonly reason: null;
  readonly figures: RoiFigures;
  readonly window: RoiBasis;
}
export type Roi = ReadyRoi | { readonly reason: RoiReason };

/** Start and end of a window with the points that anchor them. */
interface Anchors {
  readonly points: readonly RoiPoint[];
  readonly start: RoiPoint;
  readonly from: number;
  readonly end: { readonly ts: number; readonly nav: Decimal };
  readonly to: number;
}

export function calculateRoi(input: RoiInput): Roi {
  const { history } = input;
  if (input.to === null && input.current === null) return { reason: 'no_value' };
  const anchors = anchorsOf(input);
  if (!anchors) return { reason: 'not_anchored' };
  const { start, from, end, to } = anchors;
  const all = flowsBetween(history, start.ts, Math.max(to, end.ts));
  if (all.flows === null) return { reason: all.problem };
  const within = (after: number, through: number) => all.flows.filter(({ ts }) => ts > after && ts <= through);
  const flows = within(from, to);
  const startNav = (start.nav + sumOfFlows(within(start.ts, from))) as Decimal;
  const endNav = (end.nav + sumOfFlows(within(end.ts, to))) as Decimal;
  const netDeposits = sumOfFlows(flows);
  const netPnl = (endNav - startNav - netDeposits) as Decimal;
  const mwr = moneyWeighted({ netPnl, startNav, flows, from, to });
  const chained = () => chainLinked({ ...anchors, startNav, endNav, flows, allFlows: all.flows });
  return {
    reason: null,
    figures: {
      startAt: start.ts,
      endAt: end.ts,
      mwr,
      twr: netDeposits === 0n ? mwr : chained(),
      simple: rate(netPnl, startNav + netDeposits),
      netPnl,
      netDeposits,
      startNav,
      endNav,
      flows,
    },
    window: { points: anchors.points, start, from, to, allFlows: all.flows },
  };
}

/** Modified Dietz: each flow counts in the capital for the part of the window that follows it. */
function moneyWeighted(window: {
  netPnl: Decimal;
  startNav: Decimal;
  flows: readonly KnownFlow[];
  from: number;
  to: number;
}): Decimal | null {
  const { netPnl, startNav, flows, from, to } = window;
  // Both sides are multiplied with the length of the window, so that only the last division rounds.
  const length = BigInt(Math.max(1, to - from));
  const weighted = flows.reduce((sum, { ts, usd }) => sum + usd * BigInt(to - ts), 0n);
  return rate(netPnl * length, startNav * length + weighted);
}

function rate(profit: bigint, capital: bigint): Decimal | null {
  return capital > 0n ? (divideHalfEven(profit * UNIT, capital) as Decimal) : null;
}

/** All points of a window come from one source: the first one that anchors both its start and its end. */
function anchorsOf(input: RoiInput): Anchors | null {
  for (const points of input.from === null ? oldestFirst(input.sources) : input.sources) {
    const start = input.from === null ? points[0] : anchorAt(points, input.from);
    const end = input.to === null ? input.current! : anchorAt(points, input.to);
    const from = input.from ?? start?.ts;
    const to = input.to ?? end?.ts;
    if (start && end && from! <= to!) return { points, start, from: from!, end, to: to! };
  }
  return null;
}

/** Sources by their first point; those that begin together in their order. */
function oldestFirst(sources: RoiInput['sources']): RoiInput['sources'] {
  return sources.filter(({ length }) => length > 0).sort((a, b) => a[0]!.ts - b[0]!.ts);
}

/** Returns the newest point at or before a time; undefined if it is too old. */
function anchorAt(points: readonly RoiPoint[], time: number): RoiPoint | undefined {
  const point = points.findLast(({ ts }) => ts <= time);
  return point && time - point.ts <= ANCHOR_MS ? point : undefined;
}
