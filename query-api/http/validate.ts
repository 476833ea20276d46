import type { z } from 'zod';
import { ApiError } from '#schemas/errors';

/**
 * Parses a value with its schema. Throws 400 `validation_failed` with the path of every invalid field in the message.
 * @param unknown what the message states of a field that the schema does not have.
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown, unknown = 'unknown field'): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => {
    const { path, message } = issue;
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => `${[...path, key.slice(0, 100)].join('.')}: ${unknown}`).join('; ');
    const name = path.join('.') || 'body';
    return `${name}: ${isRepeated(value, issue) ? 'must be given once' : message}`;
  });
  throw new ApiError('validation_failed', [...new Set(faults)].join('; '));
}

/** True for a query parameter that is sent more than once: it is parsed as a list and fails with a type error. */
function isRepeated(value: unknown, { code, path }: z.core.$ZodIssue): boolean {
  const isOfType = code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union';
  return isOfType && path.length === 1 && Array.isArray(valueAt(value, path[0]));
}

function valueAt(value: unknown, key: PropertyKey | undefined): unknown {
  if (typeof value !== 'object' || value === null || key === undefined) return null;
  return (value as Record<PropertyKey, unknown>)[key];
}
