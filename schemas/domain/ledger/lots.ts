/** Lots: quantities that were opened at one price and are closed oldest first. */
import type { Decimal } from '../decimal.ts';

export interface Lot {
  /** The event that opened it. */
  readonly openedBy: string;
  /** The venue's time of that event. */
  readonly openedAt: number;
  /** Numbers the open lots of an instrument in the order in which they were opened; a number is used again later. */
  readonly n: number;
  /** Negative if it was sold without a lot to close. */
  readonly qty: Decimal;
  /** Null if its cost is unknown. */
  readonly price: Decimal | null;
}

/** Removes up to `qty` (not negative) of the lot at `at`. Returns the part that was removed, signed like the lot. */
export function removePart(lots: Lot[], at: number, qty: bigint): Lot {
  const lot = lots[at]!;
  const size = lot.qty < 0n ? -lot.qty : lot.qty;
  if (size <= qty) {
    if (at === 0) lots.shift();
    else lots.splice(at, 1);
    return lot;
  }
  const part = (lot.qty < 0n ? -qty : qty) as Decimal;
  lots[at] = { ...lot, qty: (lot.qty - part) as Decimal };
  return { ...lot, qty: part };
}

/** Puts a removed part back where it was. */
export function restorePart(lots: Lot[], part: Lot): void {
  const at = placeOf(lots, part.n);
  const lot = lots[at];
  if (lot?.n === part.n) lots[at] = { ...lot, qty: (lot.qty + part.qty) as Decimal };
  else if (at === 0) lots.unshift(part);
  else lots.splice(at, 0, part);
}

/** Changes the quantity of the lot that has the number `n`. */
export function growLot(lots: Lot[], n: number, qty: bigint): void {
  const at = placeOf(lots, n);
  const lot = lots[at]!;
  lots[at] = { ...lot, qty: (lot.qty + qty) as Decimal };
}

/** Returns the position of the first lot with a number of at least `n`. */
function placeOf(lots: readonly Lot[], n: number): number {
  let low = 0;
  let high = lots.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lots[middle]!.n < n) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function quantityOf(lots: readonly Lot[]): Decimal {
  let sum = 0n;
  for (const { qty } of lots) sum += qty;
  return sum as Decimal;
}

/** Returns the cost of lots with 36 decimals, exactly; null if one of them has unknown cost. */
export function exactCostOf(lots: readonly Lot[]): bigint | null {
  let cost = 0n;
  for (const { qty, price } of lots) {
    if (price === null) return null;
    cost += qty * price;
  }
  return cost;
}
