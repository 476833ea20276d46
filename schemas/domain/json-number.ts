/** Reads numbers of JSON from its text: a number that `JSON.parse` made has lost the digits that a float cannot hold. */
import { type Decimal, divideHalfEven } from './decimal.ts';
import { FieldError } from './json-fields.ts';

const NUMBER = /^(-)?(\d{1,20})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,2}))?$/;

/** Reads a JSON number exactly as written; half to even beyond 18 decimals. */
export function readJsonNumber(text: string, field: string): Decimal {
  const parts = NUMBER.exec(text);
  if (!parts) throw new FieldError(field, 'a number', text === '' ? undefined : text);
  const [, sign, integer = '0', fraction = '', exponent = '0'] = parts;
  const digits = BigInt(integer + fraction);
  const shift = 18 - fraction.length + Number(exponent);
  const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) : divideHalfEven(digits, 10n ** BigInt(-shift));
  if (scaled >= 10n ** 38n) throw new FieldError(field, 'a number below 10^20', text);
  return (sign ? -scaled : scaled) as Decimal;
}
