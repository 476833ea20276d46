import { describe, expect, it } from 'vitest';
import { parseDate } from './dates.ts';

describe('parseDate', () => {
  it.each([
    ['March 11', '2031-03-04', '2031-03-11'],
    ['Jan 3', '2030-12-28', '2031-01-03'],
    ['December 30', '2031-01-02', '2030-12-30'],
    ['December 20', '2031-01-02', '2031-12-20'],
    ['August 25th 2025', '2031-01-01', '2025-08-25'],
    ['Sept. 1, 2031', '2031-01-01', '2031-09-01'],
    ['February 29', '2031-02-01', '2032-02-29'],
    ['11 March', '2031-03-01', '2031-03-11'],
    ['the 3rd of May, 2032', '2031-03-01', '2032-05-03'],
    ['Friday, March 7', '2031-03-01', '2031-03-07'],
    ['2031-03-07', '2020-03-01', '2031-03-07'],
    ['2031-02-30', '2031-03-01', null],
    ['February 30', '2031-02-01', null],
    ['March 32', '2031-03-01', null],
    ['3/4/2031', '2031-03-01', null],
    ['next week', '2031-03-01', null],
  ])('reads %s near %s as %s', (text, day, expected) => {
    expect(parseDate(text, { day, isEnd: false })).toBe(expected);
  });

  it('uses the nearest year if the end is known', () => {
    expect(parseDate('December 20', { day: '2031-01-02', isEnd: true })).toBe('2030-12-20');
  });
});
