/**
 * Exact decimals of the truth: whole numbers of 10^-18. They share no code with the service, so that an error of one is not
 * an error of both.
 */

const PLACES = 18;
const ONE = 10n ** BigInt(PLACES);

/** Reads plain decimal text, such as `-12.5`. */
export function exact(text: string): bigint {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole + fraction.slice(0, PLACES).padEnd(PLACES, '0'));
  return text.startsWith('-') ? -units : units;
}

/** The product, without the digits after the 18th. */
export const times = (a: bigint, b: bigint): bigint => (a * b) / ONE;

/** Plain decimal text without trailing zeros. */
export function exactText(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(PLACES + 1, '0');
  const fraction = digits.slice(-PLACES).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -PLACES)}${fraction === '' ? '' : `.${fraction}`}`;
}
