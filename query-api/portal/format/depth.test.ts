import { describe, expect, it } from 'vitest';
import { depthOf, spreadOf } from './depth.ts';
import { countGaps } from './series.ts';

const level = (price: number, size: number) => ({ price, size });
const bids = [level(99.5, 0.1), level(99, 0.2), level(98, 3)];
const asks = [level(100, 0.7), level(101, 0.1)];

describe('the depth of a book', () => {
  it('sums each side from its best price on, by ascending price and without errors of binary fractions', () => {
    expect(depthOf(bids, asks)).toEqual({
      axis: { label: 'Price', digits: 1, values: [98, 99, 99.5, 100, 101] },
      series: [
        { label: 'Bids', values: [3.3, 0.3, 0.1, null, null] },
        { label: 'Asks', values: [null, null, null, 0.7, 0.8] },
      ],
    });
  });

  it('has no gap between its sides', () => {
    expect(countGaps(depthOf(bids, asks))).toBe(0);
  });

  it('has one place for a price that both sides of a crossed book name', () => {
    const { axis, series } = depthOf([level(100, 1)], [level(100, 2)]);
    expect(axis.values).toEqual([100]);
    expect(series.map(({ values }) => values)).toEqual([[1], [2]]);
  });

  it('of an empty side is empty', () => {
    expect(depthOf([], asks).series[0]!.values).toEqual([null, null]);
  });
});

describe('the spread of a book', () => {
  it('has the digits of the prices', () => {
    expect(spreadOf([level(0.1, 1)], [level(0.3, 1)])).toBe(0.2);
  });

  it('is unknown if a side is empty', () => {
    expect(spreadOf([], asks)).toBeNull();
  });
});
