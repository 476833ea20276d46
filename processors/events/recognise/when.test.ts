import { describe, expect, it } from 'vitest';
import { parseWhen } from './when.ts';

/** A Tuesday. */
const CONTEXT = { day: '2031-03-04', isEnd: false };
const read = (text: string) => {
  const when = parseWhen(text, CONTEXT);
  if (!when) return null;
  const { type, day, scope, time, isVague, doubt } = when;
  return [type, day, scope, time ? time.minutes : '', isVague ? 'vague' : '', doubt ? 'doubt' : '']
    .filter((part) => part !== '')
    .join(' ');
};

describe('parseWhen', () => {
  it.each([
    ['by March 31', 'deadline 2031-03-31'],
    ['by end of March', 'deadline 2031-03-31'],
    ['by the end of the year', 'deadline 2031-12-31'],
    ['by year-end 2032', 'deadline 2032-12-31'],
    ['by March', 'deadline 2031-03-31 doubt'],
    ['by 2032', 'deadline 2031-12-31 doubt'],
    ['before April 1', 'deadline 2031-03-31'],
    ['before April', 'deadline 2031-03-31'],
    ['before the end of April', 'deadline 2031-04-30'],
    ['before Q2 2032', 'deadline 2032-03-31'],
    ['before 2032', 'deadline 2031-12-31'],
    ['on or before March 9', 'deadline 2031-03-09'],
    ['by Friday', 'deadline 2031-03-07'],
    ['by Tuesday', 'deadline 2031-03-04'],
    ['by March 9 at 5PM ET', 'deadline 2031-03-09 1020'],
    ['in March', 'window 2031-03-31 month'],
    ['in February 2032', 'window 2032-02-29 month'],
    ['in 2031', 'window 2031-12-31'],
    ['this year', 'window 2031-12-31'],
    ['in the second half of 2031', 'window 2031-12-31 half'],
    ['in Q1', 'window 2031-03-31 quarter'],
    ['March 30 - April 5', 'window 2031-04-05 from 2031-03-30'],
    ['from Dec 29 to Jan 4, 2032', 'window 2032-01-04 from 2031-12-29'],
    ['on March 11', 'moment 2031-03-11'],
    ['March 11, 7AM ET', 'moment 2031-03-11 420'],
    ['on March 11 at 5:30 PM ET', 'moment 2031-03-11 1050'],
    ['at 17:00 UTC on 11 March 2032', 'moment 2032-03-11 1020'],
    ['on March 11 at noon', 'moment 2031-03-11 vague'],
    ['at the end of Dec 31, 2031', 'moment 2031-12-31'],
  ])('reads %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    '',
    'in Friday',
    'by then',
    'March',
    'week of March 9',
    'March 32',
    'on March 11 at 5 PM IST',
    'April 5 - March 30, 2031',
    'one day after launch',
  ])('rejects %j', (text) => {
    expect(read(text)).toBeNull();
  });
});
