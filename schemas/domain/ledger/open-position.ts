/** What is open in a book: quantity, and cost where it is known. */
import { type Decimal, divideHalfEven, UNIT } from '../decimal.ts';
import type { Book } from './books.ts';

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
  const { longs, shorts } = book;
  let qty = 0n;
  let unknownQty = 0n;
  // With 36 decimals.
  let cost = 0n;
  for (const side of [longs, shorts])
    for (const lot of side) {
      qty += lot.qty;
      if (lot.price === null) unknownQty += lot.qty;
      else cost += lot.qty * lot.price;
    }
  const isOneSided = longs.length === 0 || shorts.length === 0;
  const isAveraged = isOneSided && unknownQty === 0n && qty !== 0n;
  return {
    qty: qty as Decimal,
    knownQty: (qty - unknownQty) as Decimal,
    knownCost: divideHalfEven(cost, UNIT) as Decimal,
    avgCost: isAveraged ? (divideHalfEven(cost, qty) as Decimal) : null,
  };
}
