/** The return of a window by its definition, in exact fractions, with a search for each figure. */
import { type Decimal, divideHalfEven, UNIT } from '../decimal.ts';
import type { RoiPoint } from './chain-linked.ts';
import type { ReadyRoi, RoiInput, RoiReason } from './roi.ts';

type NaiveRoi = Pick<ReadyRoi, 'reason' | 'figures'> | { readonly reason: RoiReason };

interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

const HOURS_3 = 3 * 60 * 60 * 1000;

const newestAt = (points: readonly RoiPoint[], time: number) => points.filter(({ ts }) => ts <= time).at(-1);
const rounded = ({ over, under }: Fraction) => divideHalfEven(over * UNIT, under) as Decimal;

export function naiveRoi({ sources, history, from, to, current }: RoiInput): NaiveRoi {
  if (to === null && !current) return { reason: 'no_value' };
  const firstTimes = sources.flatMap((points) => points.slice(0, 1).map(({ ts }) => ts));
  const oldest = Math.min(...firstTimes);
  for (const points of sources) {
    const start = from === null ? points.find(({ ts }) => ts === oldest) : newestAt(points, from);
    const end = to === null ? current! : newestAt(points, to);
    if (!start || !end) continue;
    if (from !== null && from - start.ts > HOURS_3) continue;
    if (to !== null && to - end.ts > HOURS_3) continue;
    const begin = from ?? start.ts;
    const finish = to ?? end.ts;
    if (begin > finish) continue;
    return roiOf(points, start, begin, end, finish, history);
  }
  return { reason: 'not_anchored' };
}

function roiOf(
  points: readonly RoiPoint[],
  start: RoiPoint,
  from: number,
  end: { readonly ts: number; readonly nav: Decimal },
  to: number,
  { flows, knownFrom, knownThrough }: RoiInput['history'],
): NaiveRoi {
  const concerned = flows.filter(({ ts }) => ts > start.ts && ts <= to);
  const problems = concerned.map(({ problem }) => problem);
  if (start.ts < knownFrom || to > knownThrough || problems.includes('flows_unknown'))
    return { reason: 'flows_unknown' };
  if (problems.includes('flow_unpriced')) return { reason: 'flow_unpriced' };
  const sum = (after: number, through: number) =>
    concerned.filter(({ ts }) => ts > after && ts <= through).reduce((total, { usd }) => total + usd!, 0n);
  const startNav = start.nav + sum(start.ts, from);
  const endNav = end.nav + sum(end.ts, to);
  const netDeposits = sum(from, to);
  const netPnl = endNav - startNav - netDeposits;
  const inside = concerned.filter(({ ts }) => ts > from);

  const length = BigInt(to - from || 1);
  let capital: Fraction = { over: startNav, under: 1n };
  for (const { ts, usd } of inside)
    capital = {
      over: capital.over * length + usd! * BigInt(to - ts) * capital.under,
      under: capital.under * length,
    };
  const mwr = capital.over > 0n ? rounded({ over: netPnl * capital.under, under: capital.over }) : null;

  const profitUpTo = (time: number): bigint => {
    const point = newestAt(points, time)!;
    return point.pnl === null ? point.nav - start.nav - sum(start.ts, point.ts) : point.pnl - start.pnl!;
  };
  let growth: Fraction | null = { over: 1n, under: 1n };
  let base = startNav;
  let since = 0n;
  for (const { ts, usd } of inside) {
    const profit = profitUpTo(ts);
    const before: bigint = base + profit - since;
    growth = growth && base > 0n ? { over: growth.over * before, under: growth.under * base } : null;
    base = before + usd!;
    since = profit;
  }
  growth = growth && base > 0n ? { over: growth.over * endNav, under: growth.under * base } : null;
  const twr = growth && rounded({ over: growth.over - growth.under, under: growth.under });
  const simple = startNav + netDeposits > 0n ? rounded({ over: netPnl, under: startNav + netDeposits }) : null;
  return {
    reason: null,
    figures: {
      startAt: start.ts,
      endAt: end.ts,
      mwr,
      twr: netDeposits === 0n ? mwr : twr,
      simple,
      netPnl: netPnl as Decimal,
      netDeposits: netDeposits as Decimal,
      startNav: startNav as Decimal,
      endNav: endNav as Decimal,
      flows: inside as never,
    },
  };
}
