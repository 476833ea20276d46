/**
 * Readers of single fields. They are written by hand since every level of every book passes through them: a valid value
 * costs one check, and only an invalid one the construction of a message. Each throws a `FieldError` with the field.
 */
import { canonicalDecimal, DecimalError } from '#schemas/domain/decimal';
import { FieldError } from './malformed-error.ts';

/** An object of the venue whose fields are not validated yet. */
export type Fields = Readonly<Record<string, unknown>>;

export function readObject(value: unknown, field: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FieldError(field, 'an object', value);
  return value as Fields;
}

export function readList(value: unknown, field: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new FieldError(field, 'an array', value);
  return value;
}

/** Reads text that is not empty. */
export function readText(value: unknown, field: string): string {
  if (typeof value !== 'string' || value === '') throw new FieldError(field, 'text', value);
  return value;
}

/** Reads an integer of 0 or more; the venue writes it as a number, some relays as text (venue page, section 2). */
export function readInteger(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  throw new FieldError(field, 'an integer of 0 or more', value);
}

/** Reads a decimal of any sign as canonical text. */
export function readDecimal(value: unknown, field: string): string {
  if (typeof value === 'string') {
    try {
      return canonicalDecimal(value);
    } catch (error) {
      if (!(error instanceof DecimalError)) throw error;
    }
  }
  throw new FieldError(field, 'a decimal as text', value);
}

/** Reads a price or a size, which is 0 or more, as canonical text. */
export function readAmount(value: unknown, field: string): string {
  const amount = readDecimal(value, field);
  if (amount.charCodeAt(0) === 0x2d) throw new FieldError(field, 'a decimal of 0 or more', value);
  return amount;
}
