import type { Decimal } from '#schemas/domain/decimal';

/**
 * A venue's taker fee. Where a venue changes its formula, its model stays as it is and another stands beside it with the
 * time from which it holds: figures are then worked out with the one of their time, in a replay too.
 */
export interface FeeModel {
  /** Fine-grained provider. */
  readonly provider: string;
  /** From when it holds, pipeline time in unix ms; 0 for a venue's first. */
  readonly since: number;
  /**
   * The fee of taking `qty` at `price` from one level, USD in units of 10^-54: three factors of 10^-18 each fit exactly,
   * so fees and costs of a walk add up without rounding. All arguments are scaled decimals.
   */
  levelFee(rate: Decimal, qty: Decimal, price: Decimal): bigint;
}
