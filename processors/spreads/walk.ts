/** What taking a stated size from one side of a book costs, exactly. */
import type { Level } from '#schemas/domain/book';
import { type Decimal, divideHalfEven, UNIT, ZERO } from '#schemas/domain/decimal';
import type { FeeModel } from './fees/fee-model.ts';

/** 10^-54 units of one 10^-36 unit. */
const COST_TO_EXACT = 10n ** 18n;

/** The outcome of a walk. Amounts are USD in units of 10^-54. */
export interface Walk {
  /** Price of the best level, as seen from the event. */
  readonly best: Decimal;
  /** Price of the last level touched, as it stands in the book. */
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
  /** The book is the other side of the question: a level at p counts as one at 1 − p. Its fee is that of p. */
  readonly mirrored: boolean;
}

/** Walks the levels, best first, for the whole size; null for a side that holds less. */
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

/** A price as seen from the event. */
export function eventPrice(price: Decimal, mirrored: boolean): Decimal {
  return mirrored ? ((UNIT - price) as Decimal) : price;
}

/** An exact amount per share, half-even at 18 decimals. */
export function perShare(amount: bigint, size: Decimal): Decimal {
  return divideHalfEven(amount, size * COST_TO_EXACT) as Decimal;
}

/** True if two walks say the same. */
export function sameWalk(a: Walk | null, b: Walk | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  return a.best === b.best && a.cost === b.cost && a.fee === b.fee;
}
