import { type Decimal, divideHalfEven, UNIT } from '../decimal.ts';
import { exactCostOf, type Lot, quantityOf } from './lots.ts';

/** What open lots would realize at a price, half to even at 18 decimals; lots of unknown cost are left out. */
export function unrealizedOf(lots: readonly Lot[], price: Decimal): Decimal {
  const known = lots.filter((lot) => lot.price !== null);
  return divideHalfEven(quantityOf(known) * price - exactCostOf(known)!, UNIT) as Decimal;
}
