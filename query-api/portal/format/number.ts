/** Texts of numbers. Grouping is always that of English, as the rest of the portal. */

const formats = new Map<number, Intl.NumberFormat>();

/** A number with a fixed number of decimals. */
export function decimalText(value: number, digits: number): string {
  let format = formats.get(digits);
  if (format === undefined) {
    format = new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
    formats.set(digits, format);
  }
  // A negative number that rounds to zero has no sign.
  const text = format.format(value);
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text.replace('-', '−');
}

/** Like `decimalText`, with a plus sign for positive numbers. */
export function signedText(value: number, digits: number): string {
  const text = decimalText(value, digits);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

const UNITS: readonly (readonly [number, string])[] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
];

/** A large number in three or four digits: 1.23M. */
export function compactText(value: number): string {
  const [unit, suffix] = UNITS.find(([unit]) => Math.abs(value) >= unit) ?? [1, ''];
  return `${decimalText(value / unit, suffix === '' && Number.isInteger(value) ? 0 : 2)}${suffix}`;
}

/** Decimals that a list of numbers needs, at most `max`. */
export function digitsOf(values: readonly (number | null)[], max = 8): number {
  let digits = 0;
  for (const value of values) {
    const text = value?.toFixed(max) ?? '';
    const point = text.indexOf('.');
    if (point >= 0) digits = Math.max(digits, text.replace(/0+$/, '').length - point - 1);
  }
  return digits;
}

/**
 * Decimals for computed figures, which may have endlessly many: at most `usual`, or as many more, up to 8, as the
 * smallest one needs to show three significant digits.
 */
export function digitsOfComputed(values: readonly (number | null)[], usual: number): number {
  const sizes = values.flatMap((value) => (value === null || value === 0 ? [] : [Math.abs(value)]));
  const needed = sizes.length === 0 ? 0 : 2 - Math.floor(Math.log10(Math.min(...sizes)));
  return digitsOf(values, Math.min(8, Math.max(usual, needed)));
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes in its largest unit: 1.5 MiB. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; Math.abs(value) >= 1_024 && unit < BYTE_UNITS.length - 1; unit++) value /= 1_024;
  return `${decimalText(value, unit === 0 ? 0 : 1)} ${BYTE_UNITS[unit]}`;
}
