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

/** Like `decimalNumber`; null stays null, since unknown is never zero. */
export function decimalNumberOrNull(text: string | null): number | null {
  return text === null ? null : Number(text);
}
