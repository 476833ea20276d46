import { type Decimal, divideHalfEven, UNIT } from '../decimal.ts';
import type { OpenSums } from './open-position.ts';

/** What open lots would realize at a price, half to even at 18 decimals; lots of unknown cost are left out. */
export function unrealizedOf({ knownQty, knownCost }: OpenSums, price: Decimal): Decimal {
  return divideHalfEven(knownQty * price - knownCost, UNIT) as Decimal;
}
