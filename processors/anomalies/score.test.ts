import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decimal, formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { BUCKETS_MIN, type Distance, distanceOf, reaches, scoreOf } from './score.ts';

/** A fraction, not reduced: fractions are compared by cross multiplication. The denominator is above zero. */
interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}
const below = (a: Fraction, b: Fraction) => a.top * b.bottom < b.top * a.bottom;
const squared = ({ top, bottom }: Fraction): Fraction => ({ top: top * top, bottom: bottom * bottom });

/** Returns mean and variance by their definitions, in units of 10^-18 and 10^-36. */
function plainly(values: readonly bigint[]): { mean: Fraction; variance: Fraction } {
  const bottom = BigInt(values.length);
  const top = values.reduce((sum, value) => sum + value, 0n);
  const distances = values.map((value) => (value * bottom - top) ** 2n);
  return {
    mean: { top, bottom },
    variance: { top: distances.reduce((sum, one) => sum + one, 0n), bottom: bottom ** 3n },
  };
}

/** True if `shown` is the integer nearest to the root of a fraction. */
function expectNearestRoot(shown: bigint, square: Fraction): void {
  const lower = squared({ top: 2n * shown - 1n, bottom: 2n });
  const upper = squared({ top: 2n * shown + 1n, bottom: 2n });
  if (shown > 0n) expect(below(square, lower)).toBe(false);
  expect(below(upper, square)).toBe(false);
}

const baselineOf = (values: readonly bigint[]) => ({
  count: values.length,
  sum: values.reduce((sum, value) => sum + value, 0n),
  squares: values.reduce((sum, value) => sum + value * value, 0n),
});
const distance = (values: readonly bigint[], value: bigint, floor: Decimal): Distance => {
  const found = distanceOf(baselineOf(values), value as Decimal, floor);
  if (!found) throw new Error('no score');
  return found;
};

const decimals = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 24n }),
  fc.integer({ min: 0, max: 1_000 }).map((cents) => BigInt(cents) * 10n ** 16n),
);
const samples = fc.record({
  values: fc.array(decimals, { minLength: BUCKETS_MIN, maxLength: 80 }),
  value: fc.oneof(decimals, fc.bigInt({ min: 0n, max: 10n ** 26n })),
  floor: fc.constantFrom('10', '0.01', '1', '900').map(parseDecimal),
  bound: fc.constantFrom('6', '3', '0.5', '2.75').map(parseDecimal),
});

describe('a score', () => {
  it('equals its definition for any data', () => {
    fc.assert(
      fc.property(samples, ({ values, value, floor, bound }) => {
        const { mean, variance } = plainly(values);
        const above: Fraction = { top: value * mean.bottom - mean.top, bottom: mean.bottom };
        const floorSquared = { top: floor * floor, bottom: 1n };
        const divisor = below(variance, floorSquared) ? floorSquared : variance;
        // z squared is compared if z is above zero.
        const z2 = { top: above.top ** 2n * divisor.bottom, bottom: above.bottom ** 2n * divisor.top };
        const bound2 = squared({ top: bound, bottom: 10n ** 18n });
        const measured = distance(values, value, floor);
        expect(reaches(measured, bound)).toBe(above.top > 0n && !below(z2, bound2));
        const score = scoreOf(measured);
        expectNearestRoot(score.deviation, variance);
        expectNearestRoot(score.z < 0n ? -score.z : score.z, { top: z2.top * 10n ** 36n, bottom: z2.bottom });
        expect(score.z < 0n && above.top > 0n).toBe(false);
        expect(score.z > 0n && above.top < 0n).toBe(false);
        const off = score.mean * mean.bottom - mean.top;
        expect((off < 0n ? -off : off) * 2n <= mean.bottom).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is exact at its bound, which is reached there and not one unit below', () => {
    // Fifteen of 40 and fifteen of 60 shares: mean 50, deviation 10.
    const values = Array.from({ length: 30 }, (_, at) => parseDecimal(at % 2 === 0 ? '40' : '60'));
    const floor = parseDecimal('10');
    const bound = parseDecimal('6');
    expect(reaches(distance(values, parseDecimal('110'), floor), bound)).toBe(true);
    expect(reaches(distance(values, parseDecimal('109.999999999999999999'), floor), bound)).toBe(false);
    const { mean, deviation, z } = scoreOf(distance(values, parseDecimal('110'), floor));
    expect([mean, deviation, z].map(formatDecimal)).toEqual(['50', '10', '6']);
  });

  it('divides by the floor if all values are equal, and returns the measured deviation', () => {
    const values = Array.from({ length: 30 }, () => parseDecimal('0.02'));
    const { deviation, z } = scoreOf(distance(values, parseDecimal('0.1'), parseDecimal('0.01')));
    expect([deviation, z].map(formatDecimal)).toEqual(['0', '8']);
  });

  it('does not exist for 29 buckets', () => {
    const values = Array.from({ length: 29 }, () => parseDecimal('1'));
    expect(distanceOf(baselineOf(values), parseDecimal('1000000'), parseDecimal('1'))).toBeNull();
  });
});
