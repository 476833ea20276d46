import { describe, expect, it } from 'vitest';
import { depthOf, spreadOf } from './depth.ts';
import { countGaps } from './series.ts';

const level = (price: number, size: number) => ({ price, size });
const bids = [level(99.5, 0.1), level(99, 0.2), level(98, 3)];
const asks = [level(100, 0.7), level(101, 0.1)];

describe('the depth of a book', () => {
  it('sums each side from its best price on, by ascending price and without errors of binary fractions', () => {
    expect(depthOf([{ bids, asks }])).toEqual({
      axis: { label: 'Price', digits: 1, values: [98, 99, 99.5, 100, 101] },
      series: [
        { label: 'Bids', values: [3.3, 0.3, 0.1, null, null] },
        { label: 'Asks', values: [null, null, null, 0.7, 0.8] },
      ],
    });
  });

  it('has no gap between its sides', () => {
    expect(countGaps(depthOf([{ bids, asks }]))).toBe(0);
  });

  it('has one place for a price that both sides of a crossed book name', () => {
    const { axis, series } = depthOf([{ bids: [level(100, 1)], asks: [level(100, 2)] }]);
    expect(axis.values).toEqual([100]);
    expect(series.map(({ values }) => values)).toEqual([[1], [2]]);
  });

  it('of an empty side is empty', () => {
    expect(depthOf([{ bids: [], asks }]).series[0]!.values).toEqual([null, null]);
  });

  it('has the sides of several books on one axis, each with its size at the prices of the others', () => {
    const dear = { name: 'venue_b', bids: [level(0.6, 5), level(0.5, 1)], asks: [level(0.7, 2)] };
    const cheap = { name: 'venue_a', bids: [level(0.45, 4)], asks: [level(0.55, 3), level(0.65, 1)] };
    const { axis, series } = depthOf([dear, cheap]);
    expect(axis.values).toEqual([0.45, 0.5, 0.55, 0.6, 0.65, 0.7]);
    expect(series).toEqual([
      { label: 'venue_b bids', values: [null, 6, 5, 5, null, null] },
      { label: 'venue_b asks', values: [null, null, null, null, null, 2] },
      { label: 'venue_a bids', values: [4, null, null, null, null, null] },
      { label: 'venue_a asks', values: [null, null, 3, 3, 4, null] },
    ]);
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
