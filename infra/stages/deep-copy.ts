/** Copies plain data, as a state holds it. The copy shares nothing mutable with the original. */

/**
 * Returns a deep copy. An object that is referenced twice becomes two objects, so a state must not rely on identity nor
 * contain itself. Records of topics become plain objects, as with `v8.serialize`. Throws for functions, and for objects
 * that are more than their fields, such as dates.
 */
export function deepCopy<T>(value: T): T {
  if (typeof value === 'function') throw new TypeError('a state must be plain data, found a function');
  return (typeof value === 'object' && value !== null ? copyObject(value) : value) as T;
}

function copyObject(value: object): object {
  if (Array.isArray(value)) return value.map(deepCopy);
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [deepCopy(key), deepCopy(item)]));
  if (value instanceof Set) return new Set(Array.from(value, deepCopy));
  if (Buffer.isBuffer(value)) return Buffer.from(value);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return (value as Uint8Array).slice();
  if (Object.prototype.toString.call(value) === '[object Object]') return copyFields(value as Record<string, unknown>);
  throw new TypeError(`a state must be plain data, found ${value.constructor.name}`);
}

/** Copies strings and numbers by the spread and recurses only into objects. */
function copyFields(fields: Record<string, unknown>): Record<string, unknown> {
  const copy = { ...fields };
  for (const name in copy) {
    const field = copy[name];
    if (typeof field === 'object' && field !== null) copy[name] = copyObject(field);
    else if (typeof field === 'function') deepCopy(field);
  }
  return copy;
}
