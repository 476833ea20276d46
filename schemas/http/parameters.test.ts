import { describe, expect, it } from 'vitest';
import {
  booleanParameter,
  clampedInteger,
  cursorParameter,
  dayParameter,
  parseTime,
  timeParameter,
} from './parameters.ts';

describe('a clamped whole number', () => {
  const limit = clampedInteger({ min: 1, max: 200, fallback: 50 });
  it('is its default when it is left out', () => {
    expect(limit.parse(undefined)).toBe(50);
  });
  it.each([
    ['1', 1],
    ['200', 200],
    ['0', 1],
    ['201', 200],
    ['-7', 1],
    ['007', 7],
    ['9'.repeat(400), 200],
    [`-${'9'.repeat(400)}`, 1],
  ])('parses %s as %i', (text, value) => {
    expect(limit.parse(text)).toBe(value);
  });
  it.each(['', ' ', '1.5', '1e3', 'x', '0x10', '+1', '1 ', 'NaN', '--1'])('refuses %j', (text) => {
    expect(limit.safeParse(text).success).toBe(false);
  });
});

describe('a boolean', () => {
  it.each([
    [undefined, false],
    ['false', false],
    ['true', true],
  ])('parses %s as %s', (text, value) => {
    expect(booleanParameter.parse(text)).toBe(value);
  });
  it.each(['', ' ', '1', '0', 'TRUE', 'yes', 'on', ' true', 'true ', 'null'])('refuses %j', (text) => {
    expect(booleanParameter.safeParse(text).success).toBe(false);
  });
});

describe('a day', () => {
  it.each([
    ['20260301', '2026-03-01'],
    ['2026-03-01', '2026-03-01'],
    ['20240229', '2024-02-29'],
  ])('parses %s as %s', (text, day) => {
    expect(dayParameter.parse(text)).toBe(day);
  });
  it.each([
    '',
    '20260229',
    '2026-13-01',
    '20260100',
    '2026-0301',
    '202603-01',
    '2026-3-1',
    '20260301 ',
    '1772323200000',
  ])('refuses %j', (text) => {
    expect(dayParameter.safeParse(text).success).toBe(false);
  });
});

describe('a time', () => {
  const NOON_MS = Date.UTC(2026, 2, 1, 12);
  it.each([
    ['0', 0],
    ['1772366400000', NOON_MS],
    ['8640000000000000', 8.64e15],
    ['2026-03-01', Date.UTC(2026, 2, 1)],
    ['2026-03-01T12:00Z', NOON_MS],
    ['2026-03-01T12:00:00Z', NOON_MS],
    ['2026-03-01T12:00:00.250Z', NOON_MS + 250],
    ['2026-03-01T14:00:00+02:00', NOON_MS],
    ['2026-03-01T14:00:00 02:00', NOON_MS],
    ['2026-02-29T00:00:00Z'.replace('2026', '2028'), Date.UTC(2028, 1, 29)],
  ])('parses %s', (text, ms) => {
    expect(parseTime(text)).toBe(ms);
  });
  it('without a zone is UTC, whatever the zone of the machine', () => {
    expect(parseTime('2026-03-01T12:00:00')).toBe(NOON_MS);
    expect(parseTime('2026-03-01T12:00:00.500')).toBe(NOON_MS + 500);
  });
  it.each([
    '',
    'now',
    '-1',
    '1.5',
    '8640000000000001',
    '2026-02-30',
    '2026-02-29',
    '2026-13-01',
    '2026-03-01T25:00:00Z',
    '2026-3-1',
    '20260301T120000Z',
    'March 1, 2026',
  ])('refuses %j', (text) => {
    expect(parseTime(text)).toBeNull();
    expect(timeParameter.safeParse(text).success).toBe(false);
  });
});

describe('a time parameter', () => {
  it.each(['1', '1772366400', '978307199999'])('refuses %s, which is unix seconds', (text) => {
    expect(timeParameter.safeParse(text).error?.issues[0]?.message).toContain(`${text} looks like unix seconds`);
  });
  it.each([
    ['0', 0],
    ['978307200000', 978_307_200_000],
    ['1999-12-31', Date.UTC(1999, 11, 31)],
  ])('accepts %s', (text, ms) => {
    expect(timeParameter.parse(text)).toBe(ms);
  });
});

describe('a cursor', () => {
  it('is url-safe text of at most 512 characters', () => {
    expect(cursorParameter.safeParse('a'.repeat(512)).success).toBe(true);
    for (const text of ['', 'a'.repeat(513), 'a b', 'a=', 'ä'])
      expect(cursorParameter.safeParse(text).success).toBe(false);
  });
});
