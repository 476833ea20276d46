/** How the catalog of venue_b writes a moment (venue page, section 2). */

/**
 * `2026-05-09 02:07:01+00`, and as its other fields have it `2026-05-09T02:07:01Z` or `2026-05-09`. Without a zone it is
 * UTC, wherever the reader runs.
 */
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|([+-]\d\d)(?::?(\d\d))?)?)?$/;
/** The venue's zero time is the year 1; it means that there is none. */
const ZERO_YEAR = '0001-';

/** Reads a moment, unix ms; null for anything that is none. */
export function readCatalogTime(value: unknown): number | null {
  if (typeof value !== 'string' || value.startsWith(ZERO_YEAR)) return null;
  const [, day, time = '00:00:00', hours = '+00', minutes = '00'] = MOMENT.exec(value) ?? [];
  if (day === undefined) return null;
  const at = Date.parse(`${day}T${time}${hours}:${minutes}`);
  return Number.isNaN(at) ? null : at;
}
