/** Parses the header `Retry-After` (RFC 9110, 10.2.3). Pure. */

const SECOND_MS = 1_000;
/** The longest step of the delivery schedule, so that no answer delays a delivery for years. */
export const RETRY_AFTER_MAX_MS = 86_400_000;

const DAY = '(Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '\\d{2}:\\d{2}:\\d{2}';
/** The current date format and the two obsolete ones that recipients must accept (RFC 9110, 5.6.7). */
const FIXDATE = new RegExp(`^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT$`);
const RFC_850 = new RegExp(`^${DAY}[a-z]{3,6}, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT$`);
const ASCTIME = new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`);

/**
 * Milliseconds to wait from `now` (unix ms): 0 for a date in the past, at most `RETRY_AFTER_MAX_MS`; null if the header is
 * absent or is neither an integer of seconds nor an HTTP date.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * SECOND_MS, RETRY_AFTER_MAX_MS);
  const at = httpDate(text);
  return at === null ? null : Math.min(Math.max(0, at - now), RETRY_AFTER_MAX_MS);
}

function httpDate(text: string): number | null {
  const zoned = ASCTIME.test(text) ? `${text} GMT` : FIXDATE.test(text) || RFC_850.test(text) ? text : null;
  const at = zoned === null ? Number.NaN : Date.parse(zoned);
  return Number.isNaN(at) ? null : at;
}
