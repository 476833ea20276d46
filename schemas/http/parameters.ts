/** Schemas of query and path parameters: which texts are accepted, clamped or refused. */
import { z } from 'zod';

/** A whole number; outside its range it is clamped, anything else is an error that names the field (contract, REST). */
export function clampedInteger({ min, max, fallback }: { min: number; max: number; fallback: number }) {
  return z
    .string()
    .regex(/^-?\d+$/, 'must be a whole number')
    .transform((text) => Math.min(max, Math.max(min, Number(text))))
    .default(fallback)
    .describe(`${min} to ${max}, clamped; default ${fallback}`);
}

/** Exactly `true` or `false`; false by default. */
export const booleanParameter = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true')
  .default(false);

/** A calendar day, alone or with a time; seconds, their fraction and the zone may be left out. */
const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;
/** The last time that a JavaScript date can hold. */
const TIME_MAX_MS = 8.64e15;

/** Unix ms of digits or of ISO-8601 text, null for anything else. A time without a zone is UTC. */
export function parseTime(text: string): number | null {
  if (/^\d{1,16}$/.test(text)) return Number(text) <= TIME_MAX_MS ? Number(text) : null;
  // An unencoded plus sign arrives as a blank.
  const iso = text.replace(' ', '+');
  const parts = ISO.exec(iso);
  if (!parts) return null;
  // Without the Z a time would be parsed in the time zone of the machine.
  const ms = Date.parse(iso.length > 10 && !parts[1] ? `${iso}Z` : iso);
  return Number.isFinite(ms) && isCalendarDay(iso.slice(0, 10)) ? ms : null;
}

/** Date.parse moves 30 February into March; a day that does not exist is an error instead. */
function isCalendarDay(day: string): boolean {
  const ms = Date.parse(day);
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(day);
}

/** 2001-01-01 in unix ms. No market is that old, and unix seconds stay below it for thirty thousand years. */
const OLDEST_MS = 978_307_200_000;

/** Unix ms or ISO-8601, parsed to unix ms. Digits that can only be unix seconds are an error; 0 means from the start. */
export const timeParameter = z
  .string()
  .transform((text, context) => {
    const ms = parseTime(text);
    const isSeconds = ms !== null && /^\d+$/.test(text) && ms > 0 && ms < OLDEST_MS;
    if (ms !== null && !isSeconds) return ms;
    const message = isSeconds
      ? `must be unix milliseconds; ${text} looks like unix seconds`
      : 'must be unix milliseconds or an ISO-8601 time';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .describe('unix ms or ISO-8601');

/** A UTC day, `YYYYMMDD` or `YYYY-MM-DD`, parsed to the latter. */
export const dayParameter = z.string().transform((text, context) => {
  const parts = /^(\d{4})(-?)(\d\d)\2(\d\d)$/.exec(text);
  const day = parts && `${parts[1]}-${parts[3]}-${parts[4]}`;
  if (day && isCalendarDay(day)) return day;
  context.addIssue({ code: 'custom', message: 'must be a calendar day, YYYYMMDD or YYYY-MM-DD' });
  return z.NEVER;
});

/** A cursor of a page: opaque, url-safe. */
export const cursorParameter = z
  .string()
  .regex(/^[\w-]{1,512}$/, 'must be a cursor that this service returned')
  .describe('`pagination.nextCursor` of the page before; left out for the first page.');

const REPEATED_MAX = 100;

/** A parameter that may be sent several times, parsed to a list. */
export function repeatedParameter<T extends z.ZodType<unknown, string>>(one: T, description: string) {
  return z
    .preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(one).max(REPEATED_MAX))
    .meta({ type: 'array', items: z.toJSONSchema(one, { io: 'input' }), maxItems: REPEATED_MAX, description });
}

/** Words to search for, in any order and case, parsed to lower case. */
export const wordsParameter = z
  .string()
  .max(100)
  .transform((text, context) => {
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    if (words.length > 0) return words;
    context.addIssue({ code: 'custom', message: 'must contain a word' });
    return z.NEVER;
  })
  .describe('Words that the name of the event contains, in any order and case; 1 to 100 characters.');

/** A decimal number, as text: the text of the parameters identifies a cached response, so they hold no bigint. */
export const decimalParameter = z.string().regex(/^-?\d{1,20}(\.\d{1,18})?$/, 'must be a decimal number');
