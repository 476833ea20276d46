import { describe, expect, it } from 'vitest';
import { parseDecimal } from '../decimal.ts';
import { type ObservedSeries, performanceOf } from './performance.ts';
import { readablePoint } from './returns.fixture.ts';

const MINUTE = 60_000;
const series = (
  observedAt: number | null,
  ...points: readonly (readonly [t: number, nav: string | null, pnl: string])[]
) =>
  ({
    observedAt,
    points: points.map(([t, nav, pnl]) => ({
      ts: t * 1000,
      nav: nav === null ? null : parseDecimal(nav),
      pnl: parseDecimal(pnl),
    })),
  }) satisfies ObservedSeries;

const A = series(100, [10, '100', '0'], [20, '110', '10'], [30, '120', '20']);
const B = series(100, [5, null, '0'], [15, null, '3'], [25, null, '-1']);

describe('the performance of several accounts', () => {
  it('ends at the earliest of the newest points of all windows and accounts', () => {
    const { dataThrough, windows } = performanceOf(
      [
        [A, B],
        [A, A],
      ],
      100,
    );
    expect(dataThrough).toBe(25);
    expect(windows[1]!.series.map(({ curve }) => curve.map(({ t }) => t))).toEqual([
      [10, 20],
      [10, 20],
    ]);
    expect(windows[0]!.merged!.map(readablePoint)).toEqual([
      [10, null, null, '0'],
      [15, null, null, '3'],
      [20, null, null, '13'],
      [25, null, null, '9'],
    ]);
  });

  it('is unavailable and not merged while one series is too old or was never observed; the other one stays', () => {
    for (const other of [null, series(null), { ...B, observedAt: 99 }]) {
      const now = 70 * MINUTE + 100;
      const { dataThrough, windows } = performanceOf([[A, other]], now);
      const [window] = windows;
      expect([dataThrough, window!.status, window!.quality, window!.merged]).toEqual([
        30,
        'unavailable',
        'degraded',
        null,
      ]);
      expect(window!.series.map(({ status, curve }) => [status, curve.length])).toEqual([
        ['ready', 3],
        ['unavailable', 0],
      ]);
      expect(window!.dataStatus).toBe('unavailable');
    }
  });

  it('is fresh while every series is', () => {
    const statusAt = (now: number) => performanceOf([[A, B]], now).windows[0]!.dataStatus;
    expect([statusAt(100), statusAt(11 * MINUTE)]).toEqual(['fresh', 'cached_fresh']);
  });

  it('is ready for accounts that the venues do not know, without points', () => {
    const { dataThrough, windows } = performanceOf([[series(100), series(100)]], 100);
    expect([dataThrough, windows[0]!.status, windows[0]!.merged]).toEqual([null, 'ready', []]);
  });
});
