import type { Decimal } from '../decimal.ts';

/** A venue's formula of the taker fee, the same for each share of a level until the fee of the level is rounded. */
export interface FeeFormula {
  /** Fine-grained provider. */
  readonly provider: string;
  /** Event time from which it is valid, unix ms; 0 for a venue's first formula. */
  readonly since: number;
  /** The fee of one share at a price before rounding, in units of 10^-54 USD: a product of up to three decimals is exact. */
  shareFee(rate: Decimal, price: Decimal): bigint;
  /** The fee of a level is rounded down to a multiple of this, in units of 10^-54 USD; 1n if it is not rounded. */
  readonly step: bigint;
}

/**
 * A venue's taker fee. If a venue changes its formula, its model stays unchanged and another one is added with the time
 * from which it is valid: figures are calculated with the model of their time, in a replay too.
 */
export interface FeeModel extends FeeFormula {
  /**
   * Returns the fee of taking `qty` at `price` from one level, in units of 10^-54 USD, so that fees and costs of a walk
   * add up without rounding. All arguments are scaled decimals.
   */
  levelFee(rate: Decimal, qty: Decimal, price: Decimal): bigint;
}

/** Number of 10^-72 units, in which a quantity times the fee of a share is, in one 10^-54 unit. */
export const PRODUCT_UNITS = 10n ** 18n;

/** Creates the model of a formula. */
export function defineFeeModel({ shareFee, step, ...formula }: FeeFormula): FeeModel {
  const productStep = step * PRODUCT_UNITS;
  return {
    ...formula,
    shareFee,
    step,
    levelFee: (rate, qty, price) => ((shareFee(rate, price) * qty) / productStep) * step,
  };
}
