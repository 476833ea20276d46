import { expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from '../decimal.ts';
import type { RoiPoint } from './chain-linked.ts';
import { pnlCurve } from './pnl-curve.ts';
import { allFlows, flow } from './returns.fixture.ts';
import { calculateRoi, type RoiInput } from './roi.ts';

const HOUR = 3_600_000;
const point = (hours: number, nav: string, pnl: string | null = null): RoiPoint => ({
  ts: hours * HOUR,
  nav: parseDecimal(nav),
  pnl: pnl === null ? null : parseDecimal(pnl),
});

function curveOf(input: Partial<RoiInput>, pointsMax = 50) {
  const roi = calculateRoi({ sources: [], history: allFlows(), from: null, to: null, current: null, ...input });
  if (roi.reason !== null) throw new Error(roi.reason);
  return pnlCurve(roi, pointsMax).map(({ t, pnl }) => [t / 3600, formatDecimal(pnl)]);
}
const valueAt = (hours: number, nav: string) => ({ ts: hours * HOUR, nav: parseDecimal(nav) });

// 100 at 0 h; 20 come in at 1.5 h and 50 leave at 3 h. The account gains 5 a full hour: 105, 130, 85, 90.
const history = allFlows(flow(1.5 * HOUR, '20'), flow(3 * HOUR, '-50'));
const values = [point(0, '100'), point(1, '105'), point(2, '130'), point(3, '85')];

it('has the gain of the values without what came in or left', () => {
  expect(curveOf({ sources: [values], history, current: valueAt(4, '90') })).toEqual([
    [0, '0'],
    [1, '5'],
    [2, '10'],
    [3, '15'],
    [4, '20'],
  ]);
});

it('has the profit that the venue states, less that of the start', () => {
  const series = [point(0, '100', '7'), point(1, '105', '12'), point(2, '130', '17'), point(3, '85', '22')];
  expect(curveOf({ sources: [series], history, from: HOUR, current: valueAt(4, '90') })).toEqual([
    [1, '0'],
    [2, '5'],
    [3, '10'],
    [4, '15'],
  ]);
});

it('begins at 0 at the start of the window and ends at its end, also between two points', () => {
  expect(curveOf({ sources: [values], history, from: 1.25 * HOUR, to: 3.75 * HOUR })).toEqual([
    [1.25, '0'],
    [2, '5'],
    [3, '10'],
    [3.75, '10'],
  ]);
});

it('is one point for a window without length', () => {
  expect(curveOf({ sources: [values], history, from: 2 * HOUR, to: 2 * HOUR })).toEqual([[2, '0']]);
});

it('keeps the first and the last of more points than there is room for', () => {
  const many = Array.from({ length: 100 }, (_, hour) => point(hour, `${100 + hour}`));
  const curve = curveOf({ sources: [many], current: valueAt(100, '200') });
  expect(curve).toHaveLength(50);
  expect([curve[0], curve.at(-1)]).toEqual([
    [0, '0'],
    [100, '100'],
  ]);
  // Every point lies on the line of the account, and none is twice.
  expect(curve.every(([t, pnl]) => `${t}` === pnl)).toBe(true);
  expect(new Set(curve.map(([t]) => t)).size).toBe(50);
  expect(curveOf({ sources: [many.slice(0, 5)], current: valueAt(5, '105') }, 3).map(([t]) => t)).toEqual([0, 3, 5]);
});
