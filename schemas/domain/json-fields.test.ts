import { describe, expect, it } from 'vitest';
import {
  asList,
  asObject,
  asText,
  FieldError,
  optionalField,
  parseJsonOrNull,
  readAmount,
  readDecimal,
  readDecimalOrNumber,
  readFlag,
  readInteger,
  readList,
  readObject,
  readText,
  readTextOrNumber,
  withPath,
} from './json-fields.ts';

const readers = {
  readAmount,
  readDecimal,
  readDecimalOrNumber,
  readFlag,
  readInteger,
  readList,
  readText,
  readTextOrNumber,
};

describe('a field', () => {
  it.each(Object.entries(readers))('is refused by %s with its name if it is an object, null or missing', (_, read) => {
    for (const value of [{ y: 1 }, null, undefined]) {
      expect(() => read(value, 'x')).toThrow(FieldError);
      expect(() => read(value, 'x')).toThrow(/^x: expected .+, got /);
    }
  });

  it.each(Object.entries(readers))('is absent to optionalField with %s if it is missing, null or empty', (_, read) => {
    for (const object of [{}, { x: null }, { x: '' }]) {
      expect(optionalField<unknown>(object, 'x', read)).toBeUndefined();
    }
    expect(() => optionalField<unknown>({ x: {} }, 'x', read)).toThrow(/^x: /);
  });

  it('is an object only if it is neither a list nor null', () => {
    expect(readObject({ y: 1 }, 'x')).toEqual({ y: 1 });
    for (const value of [[], null, 'y', undefined]) expect(() => readObject(value, 'x')).toThrow(FieldError);
  });

  it('is read as an integer of 0 or more from a number or its digits', () => {
    expect([readInteger(5, 'x'), readInteger('07', 'x'), readInteger(0, 'x')]).toEqual([5, 7, 0]);
    for (const value of [-1, 1.5, '1.5', '1234567890123456', ' 1', '']) {
      expect(() => readInteger(value, 'x')).toThrow(FieldError);
    }
  });

  it('is read as canonical text of a decimal', () => {
    expect(readDecimal('-0.070', 'x')).toBe('-0.07');
    expect(readAmount('0.070', 'x')).toBe('0.07');
    expect(readAmount('-0', 'x')).toBe('0');
    expect(readDecimalOrNumber(0.07, 'x')).toBe('0.07');
    expect(() => readAmount('-1', 'x')).toThrow('x: expected a decimal of 0 or more, got "-1"');
    for (const value of [0.07, 'much', '']) expect(() => readDecimal(value, 'x')).toThrow(FieldError);
  });

  it('is read as text from a number only where ids are written either way', () => {
    expect(readTextOrNumber(12, 'x')).toBe('12');
    expect(readTextOrNumber('12', 'x')).toBe('12');
    expect(() => readText(12, 'x')).toThrow(FieldError);
  });

  it('is named with the path of its object, and its value is shortened', () => {
    const error = withPath(new FieldError('px', 'text', 'y'.repeat(99)), 'data[3]');
    expect(error).toHaveProperty('message', `data[3].px: expected text, got "${'y'.repeat(59)}…`);
    expect(new FieldError('px', 'text', undefined).message).toBe('px: expected text, got nothing');
    const other = new Error('other');
    expect(withPath(other, 'data')).toHaveProperty('message', 'other');
  });
});

it('a value that cannot be used is empty to readers that skip it', () => {
  for (const value of [undefined, null, 5])
    expect([asObject(value), asList(value), asText(value)]).toEqual([{}, [], null]);
  expect([asObject([1]), asList({ x: 1 }), asText('')]).toEqual([{}, [], null]);
  expect([asObject({ x: 1 }), asList([1]), asText('x')]).toEqual([{ x: 1 }, [1], 'x']);
  expect([parseJsonOrNull('{"x":1}'), parseJsonOrNull('{"x":')]).toEqual([{ x: 1 }, null]);
});
