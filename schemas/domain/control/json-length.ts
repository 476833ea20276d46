/**
 * About how many characters a value that JSON can hold takes as JSON, at a fraction of what making the text costs: texts
 * count as long as they are, whatever would have to be escaped. The same on every node, and for what a snapshot gives
 * back: fields that are undefined count for nothing, as JSON leaves them out.
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

/** What a number, a truth value or null counts for. */
const SCALAR_LENGTH = 8;
