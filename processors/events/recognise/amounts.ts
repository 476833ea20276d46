import { canonicalDecimal, type Decimal, formatDecimal, parseDecimal } from '#schemas/domain/decimal';

const UNIT = 'thousand|million|billion|trillion|mn|bn|[kmbt]';
const CURRENCY = ' ?usdc?| usdt| (?:us )?dollars';

/** Matches an amount inside a larger expression: `$62,000`, `100k`, `1.5 million`, `10000 USDC`. One group. */
export const AMOUNT = String.raw`((?:us)?\$?\d[\d,]*(?:\.\d+)?(?: ?(?:${UNIT}))?(?:${CURRENCY})?)(?![\w%$]| ?%|[.,]\d)`;

const PARTS = new RegExp(
  String.raw`^(?:us)?\$?(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d+))?(?: ?(${UNIT}))?(?:${CURRENCY})?$`,
  'i',
);
const ZEROS: Readonly<Record<string, number>> = { '': 0, k: 3, t: 12, m: 6, b: 9 };

/** Returns the exact value as canonical decimal text; null for text that is no amount (for example `1,00`). */
export function parseAmount(text: string): string | null {
  const parts = PARTS.exec(text.trim());
  if (!parts) return null;
  const [, integer = '', fraction = '', unit = ''] = parts;
  const shift = unit.toLowerCase() === 'thousand' ? 3 : ZEROS[unit.slice(0, 1).toLowerCase()]!;
  const digits = fraction.padEnd(shift, '0');
  if (digits.length > 18 || integer.length > 18) return null;
  const tail = digits.slice(shift);
  return canonicalDecimal(`${integer.replaceAll(',', '')}${digits.slice(0, shift)}${tail ? `.${tail}` : ''}`);
}

/** Returns the exact sum of two plain decimals, as canonical text. */
export function addDecimals(a: string, b: string): string {
  return formatDecimal((parseDecimal(a) + parseDecimal(b)) as Decimal);
}

/** True if `a` is less than `b`, both plain decimals. */
export function isLess(a: string, b: string): boolean {
  return parseDecimal(a) < parseDecimal(b);
}
