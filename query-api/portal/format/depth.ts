/** The depth of a book: how much can be bought or sold down to each price; pure. */
import { digitsOf } from './number.ts';
import type { NumberChart } from './series.ts';

export interface Level {
  readonly price: number;
  readonly size: number;
}

/** The size up to each price, summed from the best price on. */
function cumulated(levels: readonly Level[], digits: number): ReadonlyMap<number, number> {
  const totals = new Map<number, number>();
  let total = 0;
  for (const { price, size } of levels) {
    // Sizes are decimals: the sum is rounded to their digits, so that it has no error of binary fractions.
    total = Number((total + size).toFixed(digits));
    totals.set(price, total);
  }
  return totals;
}

/**
 * @param bids best first, as REST returns them.
 * @param asks best first.
 */
export function depthOf(bids: readonly Level[], asks: readonly Level[]): NumberChart {
  const levels = [...bids, ...asks];
  const digits = digitsOf(levels.map(({ size }) => size));
  const prices = [...new Set(levels.map(({ price }) => price))].sort((a, b) => a - b);
  const seriesOf = (label: string, side: readonly Level[]) => {
    const totals = cumulated(side, digits);
    return { label, values: prices.map((price) => totals.get(price) ?? null) };
  };
  return {
    axis: { label: 'Price', digits: digitsOf(prices), values: prices },
    series: [seriesOf('Bids', bids), seriesOf('Asks', asks)],
  };
}

/** The best ask less the best bid, with the digits of the prices; null if a side is empty. */
export function spreadOf(bids: readonly Level[], asks: readonly Level[]): number | null {
  const [bid, ask] = [bids[0], asks[0]];
  if (bid === undefined || ask === undefined) return null;
  return Number((ask.price - bid.price).toFixed(digitsOf([bid.price, ask.price])));
}
