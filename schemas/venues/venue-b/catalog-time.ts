/** Parses times in the catalog of venue_b (venue page, section 2). */

/**
 * `2026-05-09 02:07:01+00`, in other fields `2026-05-09T02:07:01Z` or `2026-05-09`. A time without a zone is UTC,
 * whatever the time zone of the machine.
 */
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|([+-]\d\d)(?::?(\d\d))?)?)?$/;
/** The venue's zero time is in the year 1 and means that the field has no time. */
const ZERO_YEAR = '0001-';

/** True for the venue's zero time. */
export function isZeroTime(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(ZERO_YEAR);
}

/** Parses a time to unix ms; null for any other value. */
export function parseCatalogTime(value: unknown): number | null {
  if (typeof value !== 'string' || isZeroTime(value)) return null;
  const [, day, time = '00:00:00', hours = '+00', minutes = '00'] = MOMENT.exec(value) ?? [];
  if (day === undefined) return null;
  const at = Date.parse(`${day}T${time}${hours}:${minutes}`);
  return Number.isNaN(at) ? null : at;
}
