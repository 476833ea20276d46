/** A copy of plain data, as a state holds it, that shares nothing with it that can change. */

/**
 * What is in it twice is two in the copy: nothing in a state may be told apart by identity, nor hold itself. Records of
 * topics become plain objects, as they do by `v8.serialize`. Throws for functions, and for objects that are more than
 * their fields, as dates.
 */
export function copyOf<T>(value: T): T {
  if (typeof value === 'function') throw new TypeError('a state holds plain data, and no function');
  return (typeof value === 'object' && value !== null ? copyObject(value) : value) as T;
}

function copyObject(value: object): object {
  if (Array.isArray(value)) return value.map(copyOf);
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [copyOf(key), copyOf(item)]));
  if (value instanceof Set) return new Set(Array.from(value, copyOf));
  if (Buffer.isBuffer(value)) return Buffer.from(value);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return (value as Uint8Array).slice();
  if (Object.prototype.toString.call(value) === '[object Object]') return copyFields(value as Record<string, unknown>);
  throw new TypeError(`a state holds plain data, and no ${value.constructor.name}`);
}

/** Texts and numbers go over together; only what is an object is looked at. */
function copyFields(fields: Record<string, unknown>): Record<string, unknown> {
  const copy = { ...fields };
  for (const name in copy) {
    const field = copy[name];
    if (typeof field === 'object' && field !== null) copy[name] = copyObject(field);
    else if (typeof field === 'function') copyOf(field);
  }
  return copy;
}
