/**
 * Checks values before they go into a row. The engine silently changes some values: an empty text becomes decimal 0, a
 * 19th decimal is cut off, a time out of range is moved into the range. Values that it would change are refused here.
 */

/** Thrown for a value that its column could not hold exactly. */
export class RowError extends Error {
  override name = 'RowError';
  readonly code: 'bad_decimal' | 'bad_time' | 'bad_integer';
  readonly canRetry = false;
  constructor(code: RowError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Values that `Decimal(38, 18)` holds exactly: up to 20 digits before the point and 18 after it. */
const DECIMAL = /^-?\d{1,20}(?:\.\d{1,18})?$/;
/** Values that `Decimal(76, 36)` holds exactly. */
const PRODUCT = /^-?\d{1,40}(?:\.\d{1,36})?$/;
/** The bounds of `DateTime64(3)`: the years 1900 to 2299. */
const TIME_MIN_MS = -2_208_988_800_000;
const TIME_MAX_MS = 10_413_791_999_999;

/** Decimal text for a `Decimal(38, 18)` column, unchanged. */
export function decimalColumn(text: string): string {
  if (!DECIMAL.test(text))
    throw new RowError('bad_decimal', `not a Decimal(38, 18): ${JSON.stringify(text.slice(0, 60))}`);
  return text;
}

/** Text of an exact product for a `Decimal(76, 36)` column, unchanged. */
export function productColumn(text: string): string {
  if (!PRODUCT.test(text))
    throw new RowError('bad_decimal', `not a Decimal(76, 36): ${JSON.stringify(text.slice(0, 100))}`);
  return text;
}

/** Unix ms for a `DateTime64(3)` column, unchanged. */
export function timeColumn(unixMs: number): number {
  if (!Number.isInteger(unixMs) || unixMs < TIME_MIN_MS || unixMs > TIME_MAX_MS)
    throw new RowError('bad_time', `not a time in unix ms: ${unixMs}`);
  return unixMs;
}

/** A count for a `UInt64` column, unchanged. */
export function countColumn(count: number): number {
  if (!Number.isSafeInteger(count) || count < 0) throw new RowError('bad_integer', `not a count: ${count}`);
  return count;
}

/** A whole number for an `Int64` column, unchanged. */
export function integerColumn(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RowError('bad_integer', `not a whole number: ${value}`);
  return value;
}
