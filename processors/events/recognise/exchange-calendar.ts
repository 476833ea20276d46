/**
 * The regular holidays and early closes of the US stock exchanges, calculated by their published rules, which are valid
 * since 1998 (Juneteenth since 2022). Unscheduled closures, for example for storms or days of mourning, are not
 * included. Days are `YYYY-MM-DD` text, times are minutes after midnight in New York.
 */
import { addDays, makeDay, weekdayOf } from './calendar.ts';

const SUNDAY = 0;
const MONDAY = 1;
const THURSDAY = 4;
const FRIDAY = 5;
const SATURDAY = 6;
/** The first year in which the exchanges observed Juneteenth. */
const JUNETEENTH_SINCE = 2022;

/** Start of regular trading, on half days too: half past nine. */
export const OPENING_MINUTES = 570;
/** End of regular trading on a full day: four in the afternoon. */
export const CLOSING_MINUTES = 960;
/** End of regular trading on a half day: one in the afternoon. */
const EARLY_CLOSING_MINUTES = 780;

/** True if the US stock exchanges trade on a day. */
export function isTradingDay(day: string): boolean {
  const weekday = weekdayOf(day);
  return weekday !== SATURDAY && weekday !== SUNDAY && !isHoliday(day);
}

/** Returns the end of regular trading on a day, in minutes after midnight in New York; null without trading. */
export function closingMinutes(day: string): number | null {
  if (!isTradingDay(day)) return null;
  return isHalfDay(day) ? EARLY_CLOSING_MINUTES : CLOSING_MINUTES;
}

function isHoliday(day: string): boolean {
  const year = yearOf(day);
  return (
    day === newYearsDay(year) ||
    day === nthWeekday(year, 1, MONDAY, 3) ||
    day === nthWeekday(year, 2, MONDAY, 3) ||
    day === addDays(easterOf(year), -2) ||
    day === memorialDay(year) ||
    (year >= JUNETEENTH_SINCE && day === observed(dayIn(year, 6, 19))) ||
    day === observed(dayIn(year, 7, 4)) ||
    day === nthWeekday(year, 9, MONDAY, 1) ||
    day === thanksgiving(year) ||
    day === observed(dayIn(year, 12, 25))
  );
}

/**
 * True for a trading day with an early close: the day after Thanksgiving, and from Monday to Thursday the days before
 * Independence Day and Christmas.
 */
function isHalfDay(day: string): boolean {
  const year = yearOf(day);
  if (day === addDays(thanksgiving(year), 1)) return true;
  const isEve = day === dayIn(year, 7, 3) || day === dayIn(year, 12, 24);
  return isEve && weekdayOf(day) !== FRIDAY;
}

/** Returns New Year's Day. On a Saturday it is not moved: the Friday before belongs to the old year's accounts. */
function newYearsDay(year: number): string {
  const day = dayIn(year, 1, 1);
  return weekdayOf(day) === SATURDAY ? day : observed(day);
}

function memorialDay(year: number): string {
  const last = dayIn(year, 5, 31);
  return addDays(last, -((weekdayOf(last) - MONDAY + 7) % 7));
}

function thanksgiving(year: number): string {
  return nthWeekday(year, 11, THURSDAY, 4);
}

/** Moves a holiday on a Saturday to the Friday before, and one on a Sunday to the Monday after. */
function observed(day: string): string {
  const weekday = weekdayOf(day);
  return weekday === SATURDAY ? addDays(day, -1) : weekday === SUNDAY ? addDays(day, 1) : day;
}

function nthWeekday(year: number, month: number, weekday: number, nth: number): string {
  const first = dayIn(year, month, 1);
  return addDays(first, ((weekday - weekdayOf(first) + 7) % 7) + (nth - 1) * 7);
}

/** Returns Easter Sunday (Gregorian): the Sunday after the full moon of spring, by the church's tables. */
function easterOf(year: number): string {
  const century = Math.floor(year / 100);
  const golden = year % 19;
  // Days of drift of the calendar's moon, from leap days that centuries omit and from its own error.
  const drift = century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25);
  const age = (19 * golden + drift + 15) % 30;
  // Two ages of the moon are moved by one day, so that no two years of one cycle have the same full moon.
  const moon = age === 29 || (age === 28 && golden > 10) ? age - 1 : age;
  const fullMoon = addDays(dayIn(year, 3, 21), moon);
  return addDays(fullMoon, 7 - weekdayOf(fullMoon));
}

function dayIn(year: number, month: number, day: number): string {
  return makeDay(year, month, day)!;
}

function yearOf(day: string): number {
  return Number(day.slice(0, 4));
}
