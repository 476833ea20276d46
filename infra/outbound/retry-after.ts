/** Parses the header `Retry-After` (RFC 9110, 10.2.3). Pure. */

const SECOND_MS = 1_000;

const DAY = '(Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '\\d{2}:\\d{2}:\\d{2}';
/** The current date format and the two obsolete ones that recipients must accept (RFC 9110, 5.6.7). */
const FIXDATE = new RegExp(`^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT$`);
const RFC_850 = new RegExp(`^${DAY}[a-z]{3,6}, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT$`);
const ASCTIME = new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`);

/**
 * Milliseconds to wait from `now` (unix ms): 0 for a date in the past, at most `maxMs`; null if the header is absent or is
 * neither an integer of seconds nor an HTTP date.
 */
export function parseRetryAfter(value: string | null | undefined, now: number, maxMs: number): number | null {
  const text = value?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * SECOND_MS : (httpDate(text) ?? Number.NaN) - now;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(0, waitMs), maxMs);
}

function httpDate(text: string): number | null {
  const zoned = ASCTIME.test(text) ? `${text} GMT` : FIXDATE.test(text) || RFC_850.test(text) ? text : null;
  const at = zoned === null ? Number.NaN : Date.parse(zoned);
  return Number.isNaN(at) ? null : at;
}
