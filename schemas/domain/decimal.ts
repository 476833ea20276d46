/**
 * Exact decimals: a `Decimal` is an integer count of 10^-18, the scale of every `Decimal(38,18)` column.
 * Money, prices and sizes are parsed into it from the venue's own text and never pass through a float.
 */
declare const decimalBrand: unique symbol;
/** A number scaled by 10^18. Add, subtract and compare with the plain bigint operators; multiply and divide below. */
export type Decimal = bigint & { readonly [decimalBrand]: true };

const DECIMAL_SCALE = 18;
const PRODUCT_SCALE = 36;
const ONE = 10n ** 18n;
/** Largest magnitude that fits `Decimal(38,18)`. */
const LIMIT = 10n ** 38n;

export const ZERO = 0n as Decimal;
export const UNIT = ONE as Decimal;

/** Thrown for text that is no decimal, or one that `Decimal(38,18)` cannot hold exactly. */
export class DecimalError extends Error {
  override name = 'DecimalError';
}

const PLAIN = /^(-)?(\d+)(?:\.(\d+))?$/;
const POWERS = Array.from({ length: DECIMAL_SCALE + 1 }, (_, digits) => 10n ** BigInt(digits));

/** Parses plain decimal text (`-12.5`, `3331.0`). Exponents, blanks and more than 18 significant decimals are refused. */
export function parseDecimal(text: string): Decimal {
  const short = parseShort(text);
  if (short !== null) return short;
  const parts = PLAIN.exec(text);
  if (!parts) throw new DecimalError(`not a decimal: ${JSON.stringify(text.slice(0, 40))}`);
  const [, sign, integer = '0', written = ''] = parts;
  const fraction = written.length > DECIMAL_SCALE ? written.replace(/0+$/, '') : written;
  if (fraction.length > DECIMAL_SCALE)
    throw new DecimalError(`more than ${DECIMAL_SCALE} decimals: ${text.slice(0, 40)}`);
  const scaled = BigInt(integer + fraction) * POWERS[DECIMAL_SCALE - fraction.length]!;
  if (scaled >= LIMIT) throw new DecimalError(`too large: ${text.slice(0, 40)}`);
  return (sign ? -scaled : scaled) as Decimal;
}

/** A JavaScript number holds any integer of so many digits exactly. */
const NUMBER_DIGITS = 15;

/** Parses a decimal of few digits without a sign, as nearly all are, in one pass; null for any other text. */
function parseShort(text: string): Decimal | null {
  const { length } = text;
  if (length > NUMBER_DIGITS + 1) return null;
  let digits = 0;
  let point = -1;
  for (let at = 0; at < length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isDigit(unit)) digits = digits * 10 + (unit - ZERO_UNIT);
    else if (unit === POINT_UNIT && point === -1 && at > 0) point = at;
    else return null;
  }
  if (point === length - 1 || length === 0 || (point === -1 && length > NUMBER_DIGITS)) return null;
  const fraction = point === -1 ? 0 : length - 1 - point;
  return (BigInt(digits) * POWERS[DECIMAL_SCALE - fraction]!) as Decimal;
}

/** Canonical text: no exponent, no trailing zeros, no `-0`. `parseDecimal(formatDecimal(x)) === x`. */
export function formatDecimal(value: Decimal): string {
  return formatScaled(value, DECIMAL_SCALE);
}

/** Canonical text of a sum of exact products of two decimals, which has 36 decimals. */
export function formatProduct(product: bigint): string {
  return formatScaled(product, PRODUCT_SCALE);
}

/** Parses the text of a sum of exact products of two decimals. Throws `DecimalError` for any other text. */
export function parseProduct(text: string): bigint {
  const [, sign, integer = '', fraction = ''] = PLAIN.exec(text) ?? [];
  if (integer === '' || fraction.length > PRODUCT_SCALE)
    throw new DecimalError(`not a product of decimals: ${JSON.stringify(text.slice(0, 80))}`);
  const product = BigInt(integer + fraction.padEnd(PRODUCT_SCALE, '0'));
  return sign ? -product : product;
}

const ZEROS = '0'.repeat(PRODUCT_SCALE);

function formatScaled(value: bigint, scale: number): string {
  if (value === 0n) return '0';
  const digits = (value < 0n ? -value : value).toString();
  // Not positive below 1: the missing zeros follow the point.
  const point = digits.length - scale;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === ZERO_UNIT) end -= 1;
  let text: string;
  if (point <= 0) text = `0.${ZEROS.slice(0, -point)}${digits.slice(0, end)}`;
  else if (end === point) text = digits.slice(0, point);
  else text = `${digits.slice(0, point)}.${digits.slice(point, end)}`;
  return value < 0n ? `-${text}` : text;
}

/** `parseDecimal` then `formatDecimal`: equal values get equal texts. */
export function canonicalDecimal(text: string): string {
  // A book frame needs eighty of these; nearly all need no arithmetic, and most are canonical already.
  return scanCanonical(text) ?? formatDecimal(parseDecimal(text));
}

const ZERO_UNIT = 0x30;
const NINE_UNIT = 0x39;
const POINT_UNIT = 0x2e;
const MINUS_UNIT = 0x2d;
/** Digits before the point that always fit under `LIMIT`. */
const INTEGER_DIGITS = 20;

/** Returns the canonical text in one pass; null for what `parseDecimal` may refuse. */
function scanCanonical(text: string): string | null {
  const length = text.length;
  const start = text.charCodeAt(0) === MINUS_UNIT ? 1 : 0;
  let at = start;
  while (at < length && isDigit(text.charCodeAt(at))) at += 1;
  const point = at;
  if (point === start || point - start > INTEGER_DIGITS) return null;
  let end = point;
  if (at < length) {
    if (text.charCodeAt(at) !== POINT_UNIT || at + 1 === length) return null;
    for (at += 1; at < length; at += 1) {
      const unit = text.charCodeAt(at);
      if (!isDigit(unit)) return null;
      if (unit !== ZERO_UNIT) end = at + 1;
    }
  }
  if (end - point - 1 > DECIMAL_SCALE) return null;
  let first = start;
  while (first < point - 1 && text.charCodeAt(first) === ZERO_UNIT) first += 1;
  if (first === start && start === 0) return end === length ? text : text.slice(0, end);
  const digits = text.slice(first, end);
  return start === 1 && digits !== '0' ? `-${digits}` : digits;
}

function isDigit(unit: number): boolean {
  return unit >= ZERO_UNIT && unit <= NINE_UNIT;
}

/** Quotient of two integers, rounded half to even. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  if (denominator === 0n) throw new DecimalError('division by zero');
  const quotient = numerator / denominator;
  const rest = numerator % denominator;
  if (rest === 0n) return quotient;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  const whole = denominator < 0n ? -denominator : denominator;
  if (twice < whole || (twice === whole && quotient % 2n === 0n)) return quotient;
  return numerator < 0n === denominator < 0n ? quotient + 1n : quotient - 1n;
}

/** Product, rounded half to even at the 18th decimal. */
export function multiply(a: Decimal, b: Decimal): Decimal {
  return divideHalfEven(a * b, ONE) as Decimal;
}

/** Quotient, rounded half to even at the 18th decimal. */
export function divide(a: Decimal, b: Decimal): Decimal {
  return divideHalfEven(a * ONE, b) as Decimal;
}

/** `units` / 10^`decimals`, exactly: e.g. amounts of a chain (`decimals` 6). */
export function decimalFromUnits(units: bigint, decimals: number): Decimal {
  return (units * POWERS[DECIMAL_SCALE - decimals]!) as Decimal;
}

/** The nearest JavaScript number, for fields that the specification declares as numbers. */
export function toNumber(value: Decimal): number {
  return Number(formatDecimal(value));
}
