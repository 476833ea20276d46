/** What is open in a book: quantity, and cost where it is known. */
import { type Decimal, divideHalfEven, UNIT } from '../decimal.ts';
import type { Book } from './books.ts';
import { lotsOf } from './books.ts';
import { exactCostOf, quantityOf } from './lots.ts';

export interface OpenPosition {
  readonly qty: Decimal;
  /** The part of the quantity whose cost is known. */
  readonly knownQty: Decimal;
  /** Cost of that part, negative for negative lots; half to even at 18 decimals. */
  readonly knownCost: Decimal;
  /** Null without lots, where lots of both signs are open, or where one has unknown cost. */
  readonly avgCost: Decimal | null;
}

/** Sums up the lots of a book. */
export function openPositionOf(book: Book): OpenPosition {
  const lots = lotsOf(book);
  const known = lots.filter(({ price }) => price !== null);
  const qty = quantityOf(lots);
  // With 36 decimals.
  const cost = exactCostOf(known)!;
  const isAveraged = known.length === lots.length && (book.longs.length === 0 || book.shorts.length === 0);
  return {
    qty,
    knownQty: quantityOf(known),
    knownCost: divideHalfEven(cost, UNIT) as Decimal,
    avgCost: isAveraged && lots.length > 0 ? (divideHalfEven(cost, qty) as Decimal) : null,
  };
}
