import { describe, expect, it } from 'vitest';
import { FieldError } from '#schemas/domain/json-fields';
import { MalformedError } from '../../shared/malformed.ts';
import { readId, readTextList, readTime } from './catalog-fields.ts';

describe('a field of the catalog', () => {
  it('is no time in the year 1, and refused if the calendar lacks the day', () => {
    expect(readTime('2026-04-05 19:37:33+00', 'x')).toBe(Date.UTC(2026, 3, 5, 19, 37, 33));
    expect(readTime('2026-04-05T12:00:00+0130', 'x')).toBe(Date.UTC(2026, 3, 5, 10, 30));
    expect(readTime('2025-07-11T18:41:17.827458Z', 'x')).toBe(Date.UTC(2025, 6, 11, 18, 41, 17, 827));
    expect(readTime('0001-01-01T00:00:00Z', 'x')).toBeUndefined();
    for (const value of ['2026-13-01T00:00:00Z', 'tomorrow', 5]) expect(() => readTime(value, 'x')).toThrow(FieldError);
  });

  it('is read as a list from an array or from JSON text of one', () => {
    expect(readTextList('["Yes", "No"]', 'x')).toEqual(['Yes', 'No']);
    expect(readTextList(['Yes', 'No'], 'x')).toEqual(['Yes', 'No']);
    for (const value of ['["Yes", ', '[1, 2]', { y: 1 }]) expect(() => readTextList(value, 'x')).toThrow(/^x: /);
  });

  it('is read as an id of 32 bytes in lower case', () => {
    expect(readId(`0x${'AB'.repeat(32)}`, 'x')).toBe(`0x${'ab'.repeat(32)}`);
    for (const value of ['0x12', 5, undefined]) expect(() => readId(value, 'x')).toThrow(MalformedError);
  });
});
