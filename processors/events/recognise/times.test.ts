import { describe, expect, it } from 'vitest';
import { timesIn } from './times.ts';

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
    ['5 PM Eastern Time', ['1020 America/New_York']],
    ['12:00 PM ET, that is noon ET', ['720 America/New_York']],
    ['from 9:00 AM ET to 4:00 PM ET', ['540 America/New_York', '960 America/New_York']],
    ['13PM ET', []],
    ['5:60 PM ET', []],
    ['24:00 UTC', []],
    ['at 8AM', []],
    ['BTC/USDT 12:00 price', []],
  ])('finds in %j %j', (text, expected) => {
    expect(times(text)).toEqual(expected);
  });
});
