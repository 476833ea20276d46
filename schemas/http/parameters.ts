/** Query and path parameters as texts of a URL: what is accepted, what is clamped, what is an error. */
import { z } from 'zod';

/** A whole number; outside its range it is clamped, anything else is an error that names the field (the contract, REST). */
export function clampedInteger({ min, max, fallback }: { min: number; max: number; fallback: number }) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/, 'must be a whole number')
    .transform((text) => Math.min(max, Math.max(min, Number(text))))
    .default(fallback)
    .describe(`${min} to ${max}, clamped; default ${fallback}`);
}

/** Unix ms or ISO-8601; becomes unix ms. */
export const timeParameter = z
  .string()
  .transform((text, context) => {
    const ms = /^\d{1,15}$/.test(text) ? Number(text) : /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isFinite(ms)) return ms;
    context.addIssue({ code: 'custom', message: 'must be unix milliseconds or an ISO-8601 time' });
    return z.NEVER;
  })
  .describe('unix ms or ISO-8601');

/** A cursor of a page: opaque, url-safe. */
export const cursorParameter = z.string().regex(/^[\w-]{1,512}$/, 'is not a cursor that this service gave');
