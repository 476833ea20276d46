import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const MAX_MS = 600_000;
const NOW = Date.UTC(1994, 10, 6, 8, 49, 7);

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['99999999999999999999999', MAX_MS],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 30_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 30_000],
    ['Sun Nov  6 08:49:37 1994', 30_000],
    ['Sun, 06 Nov 1994 08:49:00 GMT', 0],
    ['Sun, 06 Nov 2094 08:49:37 GMT', MAX_MS],
  ])('reads %j as %d ms', (value, ms) => expect(parseRetryAfter(value, NOW, MAX_MS)).toBe(ms));

  it.each([
    undefined,
    null,
    '',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    'soon',
    '1994-11-06',
    '06 Nov 1994',
    'Sun, 99 Nov 1994 08:49:37 GMT',
  ])('ignores %j', (value) => expect(parseRetryAfter(value, NOW, MAX_MS)).toBeNull());
});
