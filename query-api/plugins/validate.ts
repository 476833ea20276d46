import type { z } from 'zod';
import { ApiError } from '#schemas/errors';

/** Reads a value by its schema. Throws 400 `validation_failed` whose message names the field path. */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') || 'body';
  const given = Array.isArray(valueAt(value, issue?.path[0])) ? 'must be given once' : issue?.message;
  throw new ApiError('validation_failed', `${path}: ${given}`);
}

function valueAt(value: unknown, key: PropertyKey | undefined): unknown {
  return typeof value === 'object' && value !== null && key !== undefined
    ? (value as Record<PropertyKey, unknown>)[key]
    : null;
}
