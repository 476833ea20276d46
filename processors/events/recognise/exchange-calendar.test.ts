import { describe, expect, it } from 'vitest';
import { addDays } from './calendar.ts';
import { closingMinutes, isTradingDay } from './exchange-calendar.ts';

/** Returns the weekdays of a year without trading, and those with an early close. */
function exceptions(year: number): { closed: string[]; early: string[] } {
  const closed: string[] = [];
  const early: string[] = [];
  for (let day = `${year}-01-01`; day <= `${year}-12-31`; day = addDays(day, 1)) {
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
    if (!isWeekend && !isTradingDay(day)) closed.push(day.slice(5));
    if (closingMinutes(day) === 780) early.push(day.slice(5));
  }
  return { closed, early };
}

/** Calendars that the exchanges published. */
const PUBLISHED = [
  [2021, '01-01 01-18 02-15 04-02 05-31 07-05 09-06 11-25 12-24', '11-26'],
  [2022, '01-17 02-21 04-15 05-30 06-20 07-04 09-05 11-24 12-26', '11-25'],
  [2023, '01-02 01-16 02-20 04-07 05-29 06-19 07-04 09-04 11-23 12-25', '07-03 11-24'],
  [2024, '01-01 01-15 02-19 03-29 05-27 06-19 07-04 09-02 11-28 12-25', '07-03 11-29 12-24'],
  [2025, '01-01 01-20 02-17 04-18 05-26 06-19 07-04 09-01 11-27 12-25', '07-03 11-28 12-24'],
  [2026, '01-01 01-19 02-16 04-03 05-25 06-19 07-03 09-07 11-26 12-25', '11-27 12-24'],
  [2027, '01-01 01-18 02-15 03-26 05-31 06-18 07-05 09-06 11-25 12-24', '11-26'],
] as const;

describe('the calendar of the US stock exchanges', () => {
  it.each(PUBLISHED)('has the published days of %i', (year, closed, early) => {
    expect(exceptions(year)).toEqual({ closed: closed.split(' '), early: early.split(' ') });
  });

  it('has no replacement for New Year on a Saturday, and no Juneteenth before 2022', () => {
    expect(isTradingDay('2027-12-31')).toBe(true);
    expect(exceptions(2028).closed[0]).toBe('01-17');
    expect(isTradingDay('2021-06-18')).toBe(true);
  });

  it('has the right Good Friday for the earliest and the latest Easter', () => {
    const fridays = ['2000-04-21', '2008-03-21', '2011-04-22', '2019-04-19', '2038-04-23', '2049-04-16', '2076-04-17'];
    expect(fridays.filter(isTradingDay)).toEqual([]);
    expect(fridays.map((day) => addDays(day, -7)).filter((day) => !isTradingDay(day))).toEqual([]);
  });
});

it('trading ends at four, at one on a half day, and has no end on a day off', () => {
  expect(['2026-07-02', '2026-11-27', '2026-11-26', '2026-11-28'].map(closingMinutes)).toEqual([960, 780, null, null]);
});
