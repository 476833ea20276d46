import type { Decimal } from '../decimal.ts';

/**
 * A venue's taker fee. If a venue changes its formula, its model stays unchanged and another one is added with the time
 * from which it is valid: figures are calculated with the model of their time, in a replay too.
 */
export interface FeeModel {
  /** Fine-grained provider. */
  readonly provider: string;
  /** Event time from which it is valid, unix ms; 0 for a venue's first model. */
  readonly since: number;
  /**
   * Returns the fee of taking `qty` at `price` from one level, in units of 10^-54 USD: three factors of 10^-18 each fit
   * exactly, so fees and costs of a walk add up without rounding. All arguments are scaled decimals.
   */
  levelFee(rate: Decimal, qty: Decimal, price: Decimal): bigint;
}
