import { describe, expect, it } from 'vitest';
import { parseDate, parseMoment, parsePeriod, timesIn } from './dates.ts';

describe('parseDate', () => {
  it.each([
    ['March 11', '2031-03-04', '2031-03-11'],
    ['Jan 3', '2030-12-28', '2031-01-03'],
    ['December 30', '2031-01-02', '2030-12-30'],
    ['August 25th 2025', '2031-01-01', '2025-08-25'],
    ['Sept. 1, 2031', '2031-01-01', '2031-09-01'],
    ['February 29', '2031-02-01', '2032-02-29'],
    ['February 30', '2031-02-01', null],
    ['March 32', '2031-03-01', null],
    ['11 March', '2031-03-01', null],
    ['next week', '2031-03-01', null],
  ])('reads %s near %s as %s', (text, context, expected) => {
    expect(parseDate(text, context)).toBe(expected);
  });
});

describe('parsePeriod', () => {
  it.each([
    ['by March 31', { lastDay: '2031-03-31', scope: '' }],
    ['by end of March', { lastDay: '2031-03-31', scope: '' }],
    ['before April 1', { lastDay: '2031-03-31', scope: '' }],
    ['before 2032', { lastDay: '2031-12-31', scope: '' }],
    ['in March', { lastDay: '2031-03-31', scope: 'month' }],
    ['in February 2032', { lastDay: '2032-02-29', scope: 'month' }],
    ['in 2031', { lastDay: '2031-12-31', scope: '' }],
    // 2031-03-04 is a Tuesday.
    ['by Friday', { lastDay: '2031-03-07', scope: '' }],
    ['by Tuesday', { lastDay: '2031-03-04', scope: '' }],
    ['in Friday', null],
    ['on March 31', null],
    ['by then', null],
  ])('reads %s', (text, expected) => {
    expect(parsePeriod(text, '2031-03-04')).toEqual(expected);
  });
});

describe('timesIn', () => {
  const times = (text: string) => timesIn(text).map(({ minutes, zone }) => `${minutes} ${zone}`);

  it.each([
    ['at 8AM ET', ['480 America/New_York']],
    ['12:00 PM ET', ['720 America/New_York']],
    ['12AM ET', ['0 America/New_York']],
    ['11:59 p.m. ET', ['1439 America/New_York']],
    ['12:00 in the ET timezone (noon)', ['720 America/New_York']],
    ['23:59 UTC', ['1439 UTC']],
    ['noon ET', ['720 America/New_York']],
    ['12:00 PM ET, that is noon ET', ['720 America/New_York']],
    ['from 9:00 AM ET to 4:00 PM ET', ['540 America/New_York', '960 America/New_York']],
    ['13PM ET', []],
    ['24:00 UTC', []],
    ['at 8AM', []],
    ['BTC/USDT 12:00 price', []],
  ])('finds in %j %j', (text, expected) => {
    expect(times(text)).toEqual(expected);
  });
});

describe('parseMoment', () => {
  it('reads a day with or without a time', () => {
    expect(parseMoment('March 11', '2031-03-04')).toEqual({ day: '2031-03-11', time: null });
    expect(parseMoment('March 11, 7AM ET', '2031-03-04')).toMatchObject({ day: '2031-03-11', time: { minutes: 420 } });
    expect(parseMoment('March 11 at 5:30 PM ET', '2031-03-04')).toMatchObject({ time: { minutes: 1050 } });
    expect(parseMoment('March 11, 2032', '2031-03-04')).toEqual({ day: '2032-03-11', time: null });
  });

  it('refuses a time whose zone it does not know', () => {
    expect(parseMoment('March 11 at 5 PM CET', '2031-03-04')).toBeNull();
  });
});
