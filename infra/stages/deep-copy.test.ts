import { deserialize, serialize } from 'node:v8';
import avsc from 'avsc';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deepCopy } from './deep-copy.ts';

it('is equal to any plain data and shares nothing with it', () => {
  const plain = fc.anything({
    withMap: true,
    withSet: true,
    withBigInt: true,
    withTypedArray: true,
    withNullPrototype: true,
  });
  fc.assert(
    fc.property(plain, (value) => {
      const copy = deepCopy(value);
      expect(copy).toEqual(value);
      expect(objectsIn(copy).filter((object) => objectsIn(value).includes(object))).toEqual([]);
    }),
  );
});

it('copies buffers and typed arrays', () => {
  const bytes = Buffer.from([1, 2, 3]);
  const copy = deepCopy({ bytes, small: new Int16Array([4, 5]) });
  bytes[0] = 9;
  expect(copy).toEqual({ bytes: Buffer.from([1, 2, 3]), small: new Int16Array([4, 5]) });
});

it('converts decoded records to plain objects, as serialising them does', () => {
  const type = avsc.Type.forSchema({
    type: 'record',
    name: 'R',
    fields: [{ name: 'a', type: { type: 'array', items: 'string' } }],
  });
  const record = type.fromBuffer(type.toBuffer({ a: ['x'] })) as object;
  expect(Object.getPrototypeOf(record)).not.toBe(Object.prototype);
  expect(deepCopy([record])).toStrictEqual(deserialize(serialize([record])));
});

it.each([
  ['a function', { f: () => 1 }],
  ['a date', [new Date(0)]],
  ['an error', new Map([['a', new Error('x')]])],
])('refuses %s', (_what, value) => {
  expect(() => deepCopy<unknown>(value)).toThrow(TypeError);
});

function objectsIn(value: unknown, found: object[] = []): object[] {
  if (typeof value !== 'object' || value === null || found.includes(value)) return found;
  found.push(value);
  const inner = value instanceof Map ? [...value].flat() : value instanceof Set ? [...value] : Object.values(value);
  for (const item of inner) objectsIn(item, found);
  return found;
}
