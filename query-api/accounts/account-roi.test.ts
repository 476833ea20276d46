import { expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { accountRoi, impliedCurve } from './account-roi.ts';

it('leaves out of the implied values what came in after the current value', () => {
  const flow = (ts: number, usd: string) =>
    ({ ts, kind: 'deposit', txHash: null, usd: parseDecimal(usd), problem: null }) as const;
  const history = { flows: [flow(150_000, '30'), flow(205_000, '500')], knownFrom: 0, knownThrough: 300_000 };
  const points = [100, 200].map((t) => ({ ts: t * 1000, nav: null, pnl: parseDecimal('5') }));
  const curve = impliedCurve(points, { ts: 204_000, nav: parseDecimal('1000') }, { history });
  expect(curve.map(({ nav, netDeposits }) => [formatDecimal(nav), formatDecimal(netDeposits!)])).toEqual([
    ['970', '965'],
    ['1000', '995'],
  ]);
});

it('without a start begins with the first snapshot since flows are known, and not with a later one', () => {
  const HOUR = 3_600_000;
  const snapshot = (hour: number) => ({ hour: hour * HOUR, asOf: hour * HOUR + 60_000, nav: parseDecimal('100') });
  const flow = { ts: HOUR + 30_000, kind: 'rewardsClaim', txHash: null, usd: null, problem: 'flow_unpriced' } as const;
  const current = { ts: 3 * HOUR + 60_000, nav: parseDecimal('110') };
  const roi = (knownFrom: number, from: number | null = null) => {
    const history = { flows: [flow], knownFrom, knownThrough: 4 * HOUR };
    const read = accountRoi({ snapshots: [1, 2, 3].map(snapshot), history }, [], { from, to: null, current });
    return read.reason ?? read.figures.startAt;
  };
  expect(roi(0)).toBe('flow_unpriced');
  expect(roi(0, 2 * HOUR)).toBe(2 * HOUR);
  // Before this nothing was followed, so the first snapshot is no point.
  expect(roi(HOUR + 1)).toBe(2 * HOUR);
});
