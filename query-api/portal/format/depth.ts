/** The depth of books: how much can be bought or sold down to each price; pure. */
import { digitsOf } from './number.ts';
import type { NumberChart } from './series.ts';

export interface Level {
  readonly price: number;
  readonly size: number;
}

export interface DepthBook {
  /** Stands before the names of its sides where a chart has several books. */
  readonly name?: string;
  /** Best first, as REST returns them. */
  readonly bids: readonly Level[];
  /** Best first. */
  readonly asks: readonly Level[];
}

/**
 * The size of a side up to each price, summed from its best price on; null above its best and beyond its last price.
 *
 * @param prices in the order of the levels, which are among them.
 */
function totalsOf(levels: readonly Level[], prices: readonly number[], digits: number): Map<number, number | null> {
  const sizes = new Map<number, number>();
  for (const { price, size } of levels) sizes.set(price, (sizes.get(price) ?? 0) + size);
  let [total, left]: [number | null, number] = [null, sizes.size];
  const totals = new Map<number, number | null>();
  for (const price of prices) {
    const size = sizes.get(price);
    // Sizes are decimals: the sum is rounded to their digits, so that it has no error of binary fractions.
    if (size !== undefined) total = Number(((total ?? 0) + size).toFixed(digits));
    totals.set(price, left === 0 ? null : total);
    if (size !== undefined) left -= 1;
  }
  return totals;
}

/** The depth of both sides of each book, all on one axis of prices. */
export function depthOf(books: readonly DepthBook[]): NumberChart {
  const levels = books.flatMap(({ bids, asks }) => [...bids, ...asks]);
  const digits = digitsOf(levels.map(({ size }) => size));
  const rising = [...new Set(levels.map(({ price }) => price))].sort((a, b) => a - b);
  const falling = [...rising].reverse();
  const seriesOf = (name: string | undefined, side: 'bids' | 'asks', levels: readonly Level[]) => {
    const totals = totalsOf(levels, side === 'bids' ? falling : rising, digits);
    const label = name === undefined ? { bids: 'Bids', asks: 'Asks' }[side] : `${name} ${side}`;
    return { label, values: rising.map((price) => totals.get(price) ?? null) };
  };
  return {
    axis: { label: 'Price', digits: digitsOf(rising), values: rising },
    series: books.flatMap(({ name, bids, asks }) => [seriesOf(name, 'bids', bids), seriesOf(name, 'asks', asks)]),
  };
}

/** The best ask less the best bid, with the digits of the prices; null if a side is empty. */
export function spreadOf(bids: readonly Level[], asks: readonly Level[]): number | null {
  const [bid, ask] = [bids[0], asks[0]];
  if (bid === undefined || ask === undefined) return null;
  return Number((ask.price - bid.price).toFixed(digitsOf([bid.price, ask.price])));
}
