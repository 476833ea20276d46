/** Readers of fields that only venue_b writes in this form, used with `optionalField`. */
import { FieldError, parseJsonOrNull } from '#schemas/domain/json-fields';
import { isZeroTime, parseCatalogTime } from '#schemas/venues/venue-b/catalog-time';
import { hash } from './hex.ts';

/** Reason of the dead letter of a market with an invalid field. */
export const MALFORMED_MARKET = 'malformed_market';

/** Reads a time, unix ms; undefined for the venue's zero time. */
export function readTime(value: unknown, field: string): number | undefined {
  if (isZeroTime(value)) return undefined;
  const at = parseCatalogTime(value);
  if (at === null) throw new FieldError(field, 'a time', value);
  return at;
}

/** Reads a list of texts, or JSON text that contains one. */
export function readTextList(value: unknown, field: string): string[] {
  const list = typeof value === 'string' ? parseJsonOrNull(value) : value;
  if (Array.isArray(list) && list.every((entry) => typeof entry === 'string')) return list;
  throw new FieldError(field, 'a list of texts', value);
}

/** Reads a 32-byte id in hex and returns it in lower case. */
export function readId(value: unknown, field: string): string {
  return hash(value, field, MALFORMED_MARKET);
}
