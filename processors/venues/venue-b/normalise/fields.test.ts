import { describe, expect, it } from 'vitest';
import { decimalField, flagField, idField, textField, textListField, timeField } from './fields.ts';
import { MalformedError } from './malformed-error.ts';

const readers = { decimalField, flagField, idField, textField, textListField, timeField };

describe('a field', () => {
  it.each(Object.entries(readers))('is absent to %s if it is missing, null or empty', (_, read) => {
    expect(read({}, 'x', 'c')).toBeUndefined();
    expect(read({ x: null }, 'x', 'c')).toBeUndefined();
    expect(read({ x: '' }, 'x', 'c')).toBeUndefined();
  });

  it.each(Object.entries(readers))('is refused by %s with its name if it is an object', (_, read) => {
    expect(() => read({ x: { y: 1 } }, 'x', 'c')).toThrow(MalformedError);
    expect(() => read({ x: { y: 1 } }, 'x', 'c')).toThrow(/^x: /);
  });

  it('is read as a time with a zone, with a short zone, as a date, and with fractions', () => {
    const at = (x: string) => timeField({ x }, 'x', 'c');
    expect(at('2026-04-05T21:10:00Z')).toBe(Date.UTC(2026, 3, 5, 21, 10));
    expect(at('2026-04-05 19:37:33+00')).toBe(Date.UTC(2026, 3, 5, 19, 37, 33));
    expect(at('2026-04-05T12:00:00-04:00')).toBe(Date.UTC(2026, 3, 5, 16));
    expect(at('2026-04-05T12:00:00+0130')).toBe(Date.UTC(2026, 3, 5, 10, 30));
    expect(at('2026-04-05T12:00:00')).toBe(Date.UTC(2026, 3, 5, 12));
    expect(at('2028-11-07')).toBe(Date.UTC(2028, 10, 7));
    expect(at('2025-07-11T18:41:17.827458Z')).toBe(Date.UTC(2025, 6, 11, 18, 41, 17, 827));
  });

  it('is no time in the year 1, and refused if the calendar lacks the day', () => {
    expect(timeField({ x: '0001-01-01T00:00:00Z' }, 'x', 'c')).toBeUndefined();
    expect(() => timeField({ x: '2026-13-01T00:00:00Z' }, 'x', 'c')).toThrow(MalformedError);
    expect(() => timeField({ x: 'tomorrow' }, 'x', 'c')).toThrow(MalformedError);
  });

  it('is read as a list from an array or from JSON text of one', () => {
    expect(textListField({ x: '["Yes", "No"]' }, 'x', 'c')).toEqual(['Yes', 'No']);
    expect(textListField({ x: ['Yes', 'No'] }, 'x', 'c')).toEqual(['Yes', 'No']);
    expect(() => textListField({ x: '["Yes", ' }, 'x', 'c')).toThrow(MalformedError);
    expect(() => textListField({ x: '[1, 2]' }, 'x', 'c')).toThrow(MalformedError);
  });

  it('is read as a decimal from a string or a number', () => {
    expect(decimalField({ x: 0.07 }, 'x', 'c')).toBe('0.07');
    expect(decimalField({ x: '0.070' }, 'x', 'c')).toBe('0.07');
    expect(() => decimalField({ x: 'much' }, 'x', 'c')).toThrow(MalformedError);
  });
});
