/** Formats numbers like the venues, from integers, to avoid rounding errors. */

/** `units` of 10^-`decimals` as plain text without trailing zeros: (14325, 2) is `143.25`, (14300, 2) is `143`. */
export function plainText(units: number, decimals: number): string {
  if (decimals === 0) return String(units);
  const digits = String(units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, -decimals);
  let end = digits.length;
  const point = digits.length - decimals;
  while (end > point && digits.charCodeAt(end - 1) === 48) end -= 1;
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`;
}

/** Like `plainText`, but whole numbers end in `.0`, as venue_a formats decimals (venue page, section 2). */
export function pointText(units: number, decimals: number): string {
  const text = plainText(units, decimals);
  return text.includes('.') ? text : `${text}.0`;
}

/** A price of thousandths between 0 and 1: 620 is `0.62`. */
export function probabilityText(thousandths: number): string {
  return PROBABILITY_TEXTS[thousandths]!;
}
const PROBABILITY_TEXTS = Array.from({ length: 1001 }, (_, thousandths) => plainText(thousandths, 3));

/** Formats an amount like venue_a, rounded to `decimals` places. */
export function amountText(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  if (!text.includes('.')) return `${text}.0`;
  const trimmed = text.replace(/0+$/, '');
  return trimmed.endsWith('.') ? `${trimmed}0` : trimmed;
}
