import { expect, it } from 'vitest';
import { isoTime } from './iso-time.ts';

const DATE_MAX = 8_640_000_000_000_000;

it('formats every time like a Date', () => {
  const edges = [0, -1, 1, 999, 1_000, 59_999, 60_000, -60_000, -60_001, 0.9, -0.9, DATE_MAX, -DATE_MAX, DATE_MAX - 1];
  const years = [-62_198_755_200_001, -62_167_219_200_000, 253_402_300_799_999, 253_402_300_800_000];
  const spread = Array.from({ length: 5_000 }, (_, nth) => Math.sin(nth) * 10 ** (1 + (nth % 15)));
  const run = Array.from({ length: 2_000 }, (_, nth) => Date.UTC(2026, 1, 28, 23, 59) + nth * 61);
  for (const at of [...edges, ...years, ...spread, ...run]) expect(isoTime(at)).toBe(new Date(at).toISOString());
});

it('throws for an invalid time, and is correct again after that', () => {
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
  expect(() => isoTime(DATE_MAX + 60_000)).toThrow(RangeError);
  expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z');
});
