/** A copy of plain data, as a state holds it, that shares nothing with it that can change. */

/**
 * What is in it twice is two in the copy: nothing in a state may be told apart by identity, nor hold itself. Throws for
 * what `v8.serialize` would not bring back as it is, as functions and objects of classes.
 */
export function copyOf<T>(value: T): T {
  if (typeof value === 'function') throw new TypeError('a state holds plain data, and no function');
  return (typeof value === 'object' && value !== null ? copyObject(value) : value) as T;
}

function copyObject(value: object): object {
  if (Array.isArray(value)) return value.map(copyOf);
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return copyFields(value as Record<string, unknown>);
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [copyOf(key), copyOf(item)]));
  if (value instanceof Set) return new Set(Array.from(value, copyOf));
  if (Buffer.isBuffer(value)) return Buffer.from(value);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return (value as Uint8Array).slice();
  throw new TypeError(`a state holds plain data, and no ${value.constructor?.name ?? 'such object'}`);
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
