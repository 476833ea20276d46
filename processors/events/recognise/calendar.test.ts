import { describe, expect, it } from 'vitest';
import {
  addDays,
  dayOf,
  daysBetween,
  lastDayOfMonth,
  makeDay,
  momentAt,
  NEW_YORK,
  UTC,
  weekdayOf,
  zonedTime,
} from './calendar.ts';

const iso = (ms: number) => new Date(ms).toISOString();

describe('zonedTime', () => {
  it.each([
    ['2026-01-15', 720, NEW_YORK, '2026-01-15T17:00:00.000Z'],
    ['2026-07-15', 720, NEW_YORK, '2026-07-15T16:00:00.000Z'],
    ['2026-07-15', 720, UTC, '2026-07-15T12:00:00.000Z'],
    // Clocks go forward at 2:00 on 2026-03-08 and back at 2:00 on 2026-11-01.
    ['2026-03-07', 720, NEW_YORK, '2026-03-07T17:00:00.000Z'],
    ['2026-03-08', 119, NEW_YORK, '2026-03-08T06:59:00.000Z'],
    ['2026-03-08', 180, NEW_YORK, '2026-03-08T07:00:00.000Z'],
    ['2026-03-08', 150, NEW_YORK, '2026-03-08T07:30:00.000Z'],
    ['2026-11-01', 30, NEW_YORK, '2026-11-01T04:30:00.000Z'],
    ['2026-11-01', 90, NEW_YORK, '2026-11-01T05:30:00.000Z'],
    ['2026-11-01', 120, NEW_YORK, '2026-11-01T07:00:00.000Z'],
    ['2026-12-31', 1439, NEW_YORK, '2027-01-01T04:59:00.000Z'],
  ])('returns for %s, %i minutes, %s the moment %s', (day, minutes, zone, expected) => {
    expect(iso(zonedTime(day, minutes, zone))).toBe(expected);
  });
});

describe('momentAt', () => {
  const at = (day: string, minutes: number, isDaylight: boolean | null = null) => {
    const ms = momentAt(day, minutes, NEW_YORK, isDaylight);
    return ms === null ? null : iso(ms).slice(0, 16);
  };

  it('is null in the hour shown twice in autumn, unless the name of the time states which', () => {
    expect([60, 90, 119].map((minutes) => at('2026-11-01', minutes))).toEqual([null, null, null]);
    expect([at('2026-11-01', 59), at('2026-11-01', 120)]).toEqual(['2026-11-01T04:59', '2026-11-01T07:00']);
    expect([at('2026-11-01', 90, true), at('2026-11-01', 90, false)]).toEqual(['2026-11-01T05:30', '2026-11-01T06:30']);
  });

  it('is null in the hour skipped in spring, and for a name that New York does not use at that time', () => {
    expect([at('2026-03-08', 150), at('2026-03-08', 150, true), at('2026-03-08', 150, false)]).toEqual([
      null,
      null,
      null,
    ]);
    expect([at('2026-03-08', 119), at('2026-03-08', 180)]).toEqual(['2026-03-08T06:59', '2026-03-08T07:00']);
    expect([at('2026-07-15', 720, true), at('2026-07-15', 720, false)]).toEqual(['2026-07-15T16:00', null]);
    expect(momentAt('2026-03-08', 150, UTC, null)).toBe(Date.UTC(2026, 2, 8, 2, 30));
  });
});

describe('days', () => {
  it('are calculated in the zone', () => {
    expect(dayOf(Date.UTC(2027, 0, 1, 4, 59), NEW_YORK)).toBe('2026-12-31');
    expect(dayOf(Date.UTC(2027, 0, 1, 5), NEW_YORK)).toBe('2027-01-01');
    expect(dayOf(Date.UTC(2027, 0, 1, 4, 59), UTC)).toBe('2027-01-01');
  });

  it('are null if the calendar has no such day', () => {
    expect(makeDay(2028, 2, 29)).toBe('2028-02-29');
    expect(makeDay(2027, 2, 29)).toBeNull();
    expect(makeDay(2027, 13, 1)).toBeNull();
    expect(makeDay(2027, 4, 31)).toBeNull();
  });

  it('are counted over months and leap days', () => {
    expect(lastDayOfMonth(2028, 2)).toBe('2028-02-29');
    expect(lastDayOfMonth(2027, 12)).toBe('2027-12-31');
    expect(addDays('2028-03-01', -1)).toBe('2028-02-29');
    expect(daysBetween('2027-12-30', '2028-01-02')).toBe(3);
    expect(weekdayOf('2027-01-01')).toBe(5);
  });
});
