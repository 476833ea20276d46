/**
 * Calculates the exact distance of a value from its baseline: z = (value - mean) / the larger of the population
 * standard deviation and its floor. The comparison of z with a bound uses integers only; mean, deviation and z are
 * rounded only for the record.
 */
import { type Decimal, divideHalfEven, UNIT } from '#schemas/domain/decimal';

/** Summary of a baseline, for example a `Series`. Values in units of 10^-18, squares in units of 10^-36. */
export interface Moments {
  readonly count: number;
  readonly sum: bigint;
  readonly squares: bigint;
}

/** Least number of buckets with data for a score (contract, Markets). */
export const BUCKETS_MIN = 30;

/** A value compared with its baseline. */
export interface Distance {
  /** Number of buckets of the baseline. */
  readonly count: bigint;
  /** `count` times (value - mean). */
  readonly above: bigint;
  readonly sum: bigint;
  /** `count` squared times the variance. */
  readonly spread: bigint;
  readonly floor: Decimal;
}

/** Compares a value with its baseline; null if the baseline is too small. @param floor least deviation, above zero. */
export function distanceOf(baseline: Moments, value: Decimal, floor: Decimal): Distance | null {
  if (baseline.count < BUCKETS_MIN) return null;
  const { sum, squares } = baseline;
  const count = BigInt(baseline.count);
  return { count, above: count * value - sum, sum, spread: count * squares - sum * sum, floor };
}

/** True if z is at or above a bound, which is above zero. */
export function reaches({ count, above, spread, floor }: Distance, bound: Decimal): boolean {
  if (above <= 0n) return false;
  if (above * UNIT < bound * floor * count) return false;
  return (above * UNIT) ** 2n >= bound * bound * spread;
}

/** The figures of an anomaly, each rounded to the nearest at 18 decimals. */
export interface Score {
  readonly mean: Decimal;
  /** The measured deviation, without the floor. */
  readonly deviation: Decimal;
  readonly z: Decimal;
}

export function scoreOf({ count, above, sum, spread, floor }: Distance): Score {
  const isFloored = spread < (floor * count) ** 2n;
  const size = isFloored ? null : nearestRoot(above * above * UNIT * UNIT, spread);
  const z = size === null ? divideHalfEven(above * UNIT, floor * count) : above < 0n ? -size : size;
  return {
    mean: divideHalfEven(sum, count) as Decimal,
    deviation: nearestRoot(spread, count * count) as Decimal,
    z: z as Decimal,
  };
}

/** Returns the integer nearest to the square root of a fraction, rounding half up. */
function nearestRoot(numerator: bigint, denominator: bigint): bigint {
  return (floorRoot((numerator * 4n) / denominator) + 1n) / 2n;
}

/** Calculates the integer square root by Newton's method from above. */
function floorRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}
