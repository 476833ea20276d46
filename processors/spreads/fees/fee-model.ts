import type { Decimal } from '#schemas/domain/decimal';

/** A venue's taker fee. A venue that changes its formula gets another version; recorded numbers name what they used. */
export interface FeeModel {
  /** Fine-grained provider. */
  readonly provider: string;
  readonly version: number;
  /** The formula, for people. */
  readonly formula: string;
  /**
   * The fee of taking `qty` at `price` from one level, USD in units of 10^-54: three factors of 10^-18 each fit exactly,
   * so fees and costs of a walk add up without rounding. All arguments are scaled decimals.
   */
  levelFee(rate: Decimal, qty: Decimal, price: Decimal): bigint;
}
