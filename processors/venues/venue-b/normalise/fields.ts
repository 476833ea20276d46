/**
 * Readers of fields of the venue's JSON. Any field may be missing; null and the empty string count as missing and are
 * read as undefined. A field of the wrong form throws `MalformedError` with the caller's code and the field's name.
 */
import { canonicalDecimal, DecimalError } from '#schemas/domain/decimal';
import { MalformedError, quote } from './malformed-error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON text. Throws `MalformedError` with code `malformed_json`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedError('malformed_json', (error as Error).message);
  }
}

const absent = (value: unknown): value is undefined | null | '' =>
  value === undefined || value === null || value === '';

/** Reads text; a number is read as its digits, since the venue writes ids either way. */
export function textField(object: JsonObject, field: string, code: string): string | undefined {
  const value = object[field];
  if (absent(value)) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new MalformedError(code, `${field}: ${quote(value)}`);
}

export function flagField(object: JsonObject, field: string, code: string): boolean | undefined {
  const value = object[field];
  if (absent(value)) return undefined;
  if (typeof value === 'boolean') return value;
  throw new MalformedError(code, `${field}: ${quote(value)}`);
}

/** Reads a decimal, a string or a number, as canonical text. Numbers of up to 15 digits print as they were written. */
export function decimalField(object: JsonObject, field: string, code: string): string | undefined {
  const value = object[field];
  if (absent(value)) return undefined;
  try {
    if (typeof value === 'string' || typeof value === 'number') return canonicalDecimal(String(value));
  } catch (error) {
    if (!(error instanceof DecimalError)) throw error;
  }
  throw new MalformedError(code, `${field}: ${quote(value)}`);
}

/** `2026-04-05T21:10:00Z`, `2026-04-05 21:10:00+00` or `2026-04-05`; without a zone it is UTC. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/;
/** The venue's zero time is in the year 1; it means that there is no time. */
const ZERO_YEAR = '0001-';

/** Reads a time, unix ms. */
export function timeField(object: JsonObject, field: string, code: string): number | undefined {
  const value = object[field];
  if (absent(value)) return undefined;
  if (typeof value === 'string') {
    if (value.startsWith(ZERO_YEAR)) return undefined;
    const [, day, time = '00:00:00', zone = 'Z'] = TIME.exec(value) ?? [];
    const at = Date.parse(`${day}T${time}${isoZone(zone)}`);
    if (!Number.isNaN(at)) return at;
  }
  throw new MalformedError(code, `${field}: ${quote(value)}`);
}

/** Returns `+00` and `+0000` in the form of ISO 8601. */
function isoZone(zone: string): string {
  if (zone === 'Z' || zone.includes(':')) return zone;
  return `${zone.slice(0, 3)}:${zone.slice(3) || '00'}`;
}

/** Reads a list of texts, or JSON text that contains one. */
export function textListField(object: JsonObject, field: string, code: string): string[] | undefined {
  const value = object[field];
  if (absent(value)) return undefined;
  let list: unknown = value;
  if (typeof value === 'string') {
    try {
      list = JSON.parse(value);
    } catch {
      throw new MalformedError(code, `${field}: invalid JSON: ${quote(value)}`);
    }
  }
  if (Array.isArray(list) && list.every((entry) => typeof entry === 'string')) return list;
  throw new MalformedError(code, `${field}: ${quote(value)}`);
}

/** Reads a 32-byte id in hex and returns it in lower case. */
export function idField(object: JsonObject, field: string, code: string): string | undefined {
  const value = object[field];
  if (absent(value)) return undefined;
  if (typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  throw new MalformedError(code, `${field}: ${quote(value)}`);
}
