/** Converts exact values to the numbers and times of REST and WebSocket; only this file turns decimals into floats. */
import { z } from 'zod';

/** ISO-8601 with milliseconds and `Z`. */
export const isoTimeSchema = z.iso.datetime({ precision: 3 });

/** Unix milliseconds as ISO-8601 with milliseconds and `Z`. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** The JavaScript number nearest to a canonical decimal text. */
export function decimalNumber(text: string): number {
  return Number(text);
}

/** A canonical decimal of so many digits is the shortest text of its JavaScript number. */
const EXACT_DIGITS = 15;
/** JavaScript writes numbers that begin so with an exponent. */
const SMALL = '0.000000';
const [ZERO_CODE, MINUS_CODE] = [SMALL.charCodeAt(0), '-'.charCodeAt(0)];

/** The JSON text of `decimalNumber` of a canonical decimal. Nearly every one is that text itself. */
export function decimalJson(text: string): string {
  return isOwnJson(text, 0, text.length) ? text : String(Number(text));
}

/** True if the canonical decimal between two places of a text is its own JSON. */
export function isOwnJson(text: string, from: number, until: number): boolean {
  if (until - from > EXACT_DIGITS) return false;
  const start = text.charCodeAt(from) === MINUS_CODE ? from + 1 : from;
  return text.charCodeAt(start) !== ZERO_CODE || !text.startsWith(SMALL, start);
}

/** Like `decimalNumber`; null stays null, since unknown is never zero. */
export function decimalNumberOrNull(text: string | null): number | null {
  return text === null ? null : Number(text);
}
