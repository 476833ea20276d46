import type { z } from 'zod';
import { ApiError } from '#schemas/errors';

/** Reads a value by its schema. Throws 400 `validation_failed` whose message names the path of every bad field. */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => {
    const { path, message } = issue;
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => `${[...path, key.slice(0, 100)].join('.')}: is no field of it`).join('; ');
    const name = path.join('.') || 'body';
    return `${name}: ${isGivenTwice(value, issue) ? 'must be given once' : message}`;
  });
  throw new ApiError('validation_failed', [...new Set(faults)].join('; '));
}

/** A URL gives a list for a parameter that comes twice. What may be a list has other faults than its type. */
function isGivenTwice(value: unknown, { code, path }: z.core.$ZodIssue): boolean {
  const isOfType = code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union';
  return isOfType && path.length === 1 && Array.isArray(valueAt(value, path[0]));
}

function valueAt(value: unknown, key: PropertyKey | undefined): unknown {
  if (typeof value !== 'object' || value === null || key === undefined) return null;
  return (value as Record<PropertyKey, unknown>)[key];
}
