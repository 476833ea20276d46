/** Dates and times of day as titles and rules write them. */
import { addDays, daysBetween, lastDayOfMonth, makeDay, NEW_YORK, UTC, weekdayOf } from './calendar.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTH_WORD =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const DATE = new RegExp(String.raw`^${MONTH_WORD}\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?$`, 'i');
const MONTH = new RegExp(String.raw`^${MONTH_WORD}(?:,? (\d{4}))?$`, 'i');
const YEAR = /^(20\d\d)$/;

/** Month number from 1, of its name or its first three letters. */
export function monthOf(word: string): number {
  return MONTHS.indexOf(word.slice(0, 3).toLowerCase()) + 1;
}

/** The year in which `make` gives the day nearest to the context. */
function nearest(contextDay: string, make: (year: number) => string | null): string | null {
  const around = Number(contextDay.slice(0, 4));
  let best: string | null = null;
  for (const year of [around, around + 1, around - 1]) {
    const day = make(year);
    if (day === null) continue;
    if (best === null || Math.abs(daysBetween(contextDay, day)) < Math.abs(daysBetween(contextDay, best))) best = day;
  }
  return best;
}

/** `March 11`, `Nov 7, 2025`, `August 25th 2025`: a day, the year taken nearest to the context where it is left out. */
export function parseDate(text: string, contextDay: string): string | null {
  const parts = DATE.exec(text.trim());
  if (!parts) return null;
  const month = monthOf(parts[1]!);
  const day = Number(parts[2]);
  if (parts[3] !== undefined) return makeDay(Number(parts[3]), month, day);
  return nearest(contextDay, (year) => makeDay(year, month, day));
}

/** A stretch of time that ends at the end of a day. */
export interface Period {
  readonly lastDay: string;
  /** `month` when the stretch has a beginning of its own, so that an earlier touch does not count. */
  readonly scope: string;
}

/** What follows the amount of a touch question: `by March 31`, `before August 25`, `in May`, `in 2024`, `by Friday`. */
export function parsePeriod(text: string, contextDay: string): Period | null {
  const [, word = '', rest = ''] = /^(by|before|in)\s+(?:the\s+)?(?:end of\s+)?(.+)$/i.exec(text.trim()) ?? [];
  const year = YEAR.exec(rest);
  if (word.toLowerCase() === 'before') {
    const limit = year ? `${year[1]}-01-01` : parseDate(rest, contextDay);
    return limit === null ? null : { lastDay: addDays(limit, -1), scope: '' };
  }
  if (year) return { lastDay: `${year[1]}-12-31`, scope: '' };
  const month = MONTH.exec(rest);
  if (month) {
    const number = monthOf(month[1]!);
    const lastDay =
      month[2] === undefined
        ? nearest(contextDay, (at) => lastDayOfMonth(at, number))
        : lastDayOfMonth(Number(month[2]), number);
    return lastDay === null ? null : { lastDay, scope: word.toLowerCase() === 'in' ? 'month' : '' };
  }
  if (word.toLowerCase() !== 'by') return null;
  const weekday = WEEKDAYS.indexOf(rest.toLowerCase());
  const lastDay =
    weekday < 0 ? parseDate(rest, contextDay) : addDays(contextDay, (weekday - weekdayOf(contextDay) + 7) % 7);
  return lastDay === null ? null : { lastDay, scope: '' };
}

/** A time of day with its zone. */
export interface TimeOfDay {
  readonly minutes: number;
  readonly zone: string;
  /** The words it was read from. */
  readonly words: string;
}

const ZONE_WORD = String.raw`(?:in the )?(ET|EST|EDT|UTC|GMT)\b(?: timezone)?`;
const CLOCK_12 = new RegExp(String.raw`\b(\d{1,2})(?::(\d\d))?\s?([AP])\.?M\.?,? ${ZONE_WORD}`, 'gi');
const CLOCK_24 = new RegExp(String.raw`\b(\d{1,2}):(\d\d)(?::\d\d)? ${ZONE_WORD}`, 'gi');
const NOON = new RegExp(String.raw`\b(noon|midnight),? ${ZONE_WORD}`, 'gi');

/** Every time of day that a text names together with its zone, without repeats. */
export function timesIn(text: string): TimeOfDay[] {
  const found = new Map<string, TimeOfDay>();
  const add = (minutes: number, zoneWord: string, words: string) => {
    if (minutes < 0 || minutes >= 24 * 60) return;
    const zone = /^(UTC|GMT)$/i.test(zoneWord) ? UTC : NEW_YORK;
    const key = `${minutes} ${zone}`;
    if (!found.has(key)) found.set(key, { minutes, zone, words });
  };
  for (const [words, hour, minute = '0', half, zone] of text.matchAll(CLOCK_12)) {
    if (Number(hour) < 1 || Number(hour) > 12) continue;
    add((Number(hour) % 12) * 60 + Number(minute) + (half!.toUpperCase() === 'P' ? 720 : 0), zone!, words);
  }
  for (const [words, hour, minute, zone] of text.matchAll(CLOCK_24))
    add(Number(hour) * 60 + Number(minute), zone!, words);
  for (const [words, name, zone] of text.matchAll(NOON)) add(name!.toLowerCase() === 'noon' ? 720 : 0, zone!, words);
  return [...found.values()];
}

/** `September 24 at 8AM ET`, `April 11, 7AM ET`, `March 14`: a day and, where it is told, the time of day. */
export function parseMoment(text: string, contextDay: string): { day: string; time: TimeOfDay | null } | null {
  const [, date = '', clock] = /^(.+?)(?:(?:,? at|,) (\d{1,2}(?::\d\d)?\s?[AP]M \w+))?$/i.exec(text.trim()) ?? [];
  const day = parseDate(date, contextDay);
  if (day === null) return null;
  if (clock === undefined) return { day, time: null };
  const [time] = timesIn(clock);
  return time ? { day, time } : null;
}
