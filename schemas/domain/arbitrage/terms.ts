/** Size and fees that arbitrage is calculated with, beside the books. Pure. */
import { type Decimal, parseDecimal, ZERO } from '../decimal.ts';
import type { FeeModel } from './fee-model.ts';
import { type Fees, feesOverTime } from './fee-models.ts';

export interface PricingTerms {
  /** Number of shares that arbitrage is quoted for. */
  readonly size: Decimal;
  readonly fees: Fees;
}

/** Returns a function from event time (unix ms) to the terms. Throws for a size that is not above zero. */
export function pricingTermsOverTime(
  arbitrageSize: string,
  models: readonly FeeModel[],
): (time: number) => PricingTerms {
  const size = parseDecimal(arbitrageSize);
  if (size <= ZERO) throw new RangeError(`arbitrageSize must be above zero: ${arbitrageSize}`);
  const terms = feesOverTime(models).map((fees): PricingTerms => ({ size, fees }));
  return (time) => terms.findLast(({ fees }) => fees.since <= time) ?? terms[0]!;
}
