import { expect, it } from 'vitest';
import { DAY_MS } from '#schemas/venues/venue-a/builder-export';
import { arrivedUntil } from './arrived-until.ts';

const REGISTERED = Date.parse('2026-03-31T12:00:00Z');
const FIRST = Date.parse('2026-03-01T00:00:00Z');
const days = (builder: string, ...numbers: number[]) =>
  numbers.map((day) => ({ builder, day: FIRST + day * DAY_MS, fileAt: 1 }));
const a = { builder: 'a', registeredAt: REGISTERED };
const b = { builder: 'b', registeredAt: REGISTERED + 2 * DAY_MS };

it('is the end of the last day before the first one that is missing', () => {
  expect(arrivedUntil([a], days('a', 0, 1, 2, 4))).toBe(FIRST + 3 * DAY_MS);
  expect(arrivedUntil([a], days('a', -1, 0))).toBe(FIRST + DAY_MS);
});

it('is that of the builder whose files reach least far', () => {
  expect(arrivedUntil([a, b], [...days('a', 0, 1, 2, 3, 4), ...days('b', 2, 3)])).toBe(FIRST + 4 * DAY_MS);
});

it('is null without a first file, and without builders', () => {
  expect(arrivedUntil([a], days('a', 1, 2))).toBeNull();
  expect(arrivedUntil([a, b], days('a', 0))).toBeNull();
  expect(arrivedUntil([], [])).toBeNull();
});
