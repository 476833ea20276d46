/**
 * Estimates the length of a value as JSON, at a fraction of the cost of serializing it: strings count with their length,
 * without escapes. The result is the same on every node and after a snapshot: undefined fields do not count, as JSON
 * leaves them out.
 */
export function jsonLength(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return SCALAR_LENGTH;
  let length = 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) length += jsonLength(value[at]) + 1;
    return length;
  }
  for (const name in value) {
    const field = (value as Readonly<Record<string, unknown>>)[name];
    if (field !== undefined) length += name.length + 4 + jsonLength(field);
  }
  return length;
}

/** Length that a number, a boolean or null counts with. */
const SCALAR_LENGTH = 8;
