import { expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { impliedCurve } from './account-roi.ts';

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
