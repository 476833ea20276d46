/**
 * Readers of JSON that others wrote. A `read…` function returns the value in one form, or throws a `FieldError` that
 * names the field. An `as…` function is for readers that skip what they cannot use. All are written by hand, since every
 * level of every book passes through them: a valid value costs one check, and only an invalid one builds a message.
 */
import { canonicalDecimal, DecimalError } from './decimal.ts';

/** An object whose members are not validated yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Thrown for an invalid field; the message states the field, the expected form and the value. */
export class FieldError extends Error {
  override name = 'FieldError';
  constructor(field: string, expected: string, value: unknown) {
    super(`${field}: expected ${expected}, got ${quoteJson(value)}`);
  }
}

/**
 * Returns the same error with the path of the enclosing object put before the field. The path is built only on failure,
 * since nearly all fields are valid.
 */
export function withPath(error: unknown, path: string): unknown {
  if (error instanceof FieldError) error.message = `${path}.${error.message}`;
  return error;
}

const SHOWN_CHARACTERS = 60;

/** Formats a value for a message, shortened. */
export function quoteJson(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readObject(value: unknown, field: string): JsonObject {
  if (!isJsonObject(value)) throw new FieldError(field, 'an object', value);
  return value;
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

/** Reads text that is not empty, or a number as its digits, where a venue writes ids either way. */
export function readTextOrNumber(value: unknown, field: string): string {
  return typeof value === 'number' ? String(value) : readText(value, field);
}

export function readFlag(value: unknown, field: string): boolean {
  if (typeof value !== 'boolean') throw new FieldError(field, 'true or false', value);
  return value;
}

/** Reads an integer of 0 or more, a number or its digits as text. */
export function readInteger(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  throw new FieldError(field, 'an integer of 0 or more', value);
}

/** Reads a decimal of any sign, written as text, as canonical text. */
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

/** Reads a decimal, written as text or as a number. Numbers of up to 15 digits print as they were written. */
export function readDecimalOrNumber(value: unknown, field: string): string {
  return readDecimal(typeof value === 'number' ? String(value) : value, field);
}

/** Reads a price or a size, which is 0 or more, as canonical text. */
export function readAmount(value: unknown, field: string): string {
  const amount = readDecimal(value, field);
  if (amount.charCodeAt(0) === 0x2d) throw new FieldError(field, 'a decimal of 0 or more', value);
  return amount;
}

/** Reads a field that may be missing. Null and empty text count as missing and are read as undefined. */
export function optionalField<T>(
  object: JsonObject,
  field: string,
  read: (value: unknown, field: string) => T,
): T | undefined {
  const value = object[field];
  return value === undefined || value === null || value === '' ? undefined : read(value, field);
}

/** Returns the object; an empty one for anything else. */
export function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns the list; an empty one for anything else. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns text that is not empty; null for anything else. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Parses JSON; null for a text that is no JSON. */
export function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
