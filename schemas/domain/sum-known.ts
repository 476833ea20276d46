import { type Decimal, ZERO } from './decimal.ts';

/** The sum of the values that are known; null if none of them is, zero without any value. */
export function sumKnown(values: readonly (Decimal | null)[]): Decimal | null {
  let sum: Decimal | null = values.length === 0 ? ZERO : null;
  for (const value of values) if (value !== null) sum = ((sum ?? 0n) + value) as Decimal;
  return sum;
}
