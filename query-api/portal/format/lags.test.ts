import { expect, it } from 'vitest';
import { addLags, type LagHistory, lagChartOf } from './lags.ts';

const lag = (stage: string, lagMs: number) => ({ stage, lagMs });

it('the lag of a stage on several nodes is its largest, and a time counts once', () => {
  const once = addLags([], 1, [lag('a', 5), lag('a', 9), lag('b', 1)]);
  expect(once).toEqual([
    [
      1,
      new Map([
        ['a', 9],
        ['b', 1],
      ]),
    ],
  ]);
  expect(addLags(once, 1, [])).toBe(once);
});

it('the chart has a line for each of the slowest stages, and one for all others, with gaps where nothing is known', () => {
  let history: LagHistory = [];
  history = addLags(
    history,
    1,
    ['a', 'b', 'c', 'd', 'e', 'f'].map((stage, nth) => lag(stage, 1_000 * nth)),
  );
  history = addLags(history, 2, [lag('f', 500), lag('a', 250)]);
  const data = lagChartOf(history);
  expect(data.times).toEqual([1, 2]);
  expect(data.series).toEqual([
    { label: 'f', values: [5_000, 500] },
    { label: 'e', values: [4_000, null] },
    { label: 'd', values: [3_000, null] },
    { label: 'c', values: [2_000, null] },
    { label: 'all others', values: [1_000, 250] },
  ]);
});

it('the history has a bound', () => {
  let history: LagHistory = [];
  for (let at = 1; at <= 700; at++) history = addLags(history, at, []);
  expect([history.length, history[0]![0]]).toEqual([600, 101]);
});
