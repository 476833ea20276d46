/** Nearest-rank quantile; `share` from 0 to 1. Throws without values. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('no values');
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]!;
}

/** Median; for an even number of values the mean of the two in the middle. Throws without values. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no values');
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
