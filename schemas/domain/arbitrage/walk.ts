/** Calculates the exact cost of taking a stated size from one side of a book. */
import type { Level } from '../book.ts';
import { type Decimal, divideHalfEven, UNIT, ZERO } from '../decimal.ts';
import type { FeeModel } from './fee-model.ts';

/** Number of 10^-54 units in one 10^-36 unit. */
const COST_TO_EXACT = 10n ** 18n;

/** The outcome of a walk. Amounts are USD in units of 10^-54. */
export interface Walk {
  /** Price of the best level, as seen from the event. */
  readonly best: Decimal;
  /** Price of the last level used, as stored in the book. */
  readonly reach: Decimal;
  /** Sum of price · quantity. */
  readonly cost: bigint;
  /** Sum of the fees of the levels. */
  readonly fee: bigint;
}

export interface WalkTerms {
  readonly size: Decimal;
  readonly model: FeeModel;
  readonly rate: Decimal;
  /** True for a book of the other side of the question: a level at p counts as one at 1 − p. Its fee is that of p. */
  readonly mirrored: boolean;
}

/** Walks the levels, best first, for the full size. Returns null if the side has less. */
export function walkLevels(levels: readonly Level[], { size, model, rate, mirrored }: WalkTerms): Walk | null {
  const first = levels[0];
  if (first === undefined) return null;
  let left: Decimal = size;
  let cost = 0n;
  let fee = 0n;
  for (const { price, size: resting } of levels) {
    const qty = resting < left ? resting : left;
    cost += qty * eventPrice(price, mirrored);
    fee += model.levelFee(rate, qty, price);
    left = (left - qty) as Decimal;
    if (left === ZERO)
      return { best: eventPrice(first.price, mirrored), reach: price, cost: cost * COST_TO_EXACT, fee };
  }
  return null;
}

/** Returns a price as seen from the event. */
export function eventPrice(price: Decimal, mirrored: boolean): Decimal {
  return mirrored ? ((UNIT - price) as Decimal) : price;
}

/** Returns an exact amount per share, rounded half-even to 18 decimals. */
export function perShare(amount: bigint, size: Decimal): Decimal {
  return divideHalfEven(amount, size * COST_TO_EXACT) as Decimal;
}

/** True if two walks have the same result. */
export function sameWalk(a: Walk | null, b: Walk | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  return a.best === b.best && a.cost === b.cost && a.fee === b.fee;
}
