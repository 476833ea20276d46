/** Parses calendar days and periods of days in titles and rules. */
import { addDays, daysBetween, lastDayOfMonth, makeDay, weekdayOf } from './calendar.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
/** Matches the name of a month, full or abbreviated. One group. */
export const MONTH_WORD =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const YEAR_TAIL = String.raw`(?:,? (20\d\d))?`;
const WEEKDAY_LEAD = `(?:(sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?,? )?`;
const MONTH_DAY = new RegExp(String.raw`^${WEEKDAY_LEAD}${MONTH_WORD}\.? (\d{1,2})(?:st|nd|rd|th)?${YEAR_TAIL}$`, 'i');
const DAY_MONTH = new RegExp(
  String.raw`^${WEEKDAY_LEAD}(?:the )?(\d{1,2})(?:st|nd|rd|th)? (?:of )?${MONTH_WORD}\.?${YEAR_TAIL}$`,
  'i',
);
const ISO = /^(20\d\d)-(\d\d)-(\d\d)$/;
const RANGE = new RegExp(
  String.raw`^${MONTH_WORD}\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (20\d\d))? ?(?:-|to|and|through) ?(?:${MONTH_WORD}\.? )?(\d{1,2})(?:st|nd|rd|th)?${YEAR_TAIL}$`,
  'i',
);
const MONTH = new RegExp(String.raw`^(?:the month of )?${MONTH_WORD}\.?(?:,? (?:of )?(20\d\d))?$`, 'i');
const QUARTER = /^(?:the )?(?:q([1-4])|(first|second|third|fourth) quarter)(?:,? (?:of )?(20\d\d))?$/i;
const HALF = /^(?:the )?(?:h([12])|(first|second) half)(?:,? (?:of )?(20\d\d))?$/i;
const YEAR = /^(?:the year )?(20\d\d)$/i;
const THIS_YEAR = /^(?:this year|the year|year)$/i;
const ORDINALS = ['first', 'second', 'third', 'fourth'];

/** Context that gives the year of a date without one. */
export interface DateContext {
  readonly day: string;
  /** True if `day` is the market's end: the year is then the nearest one, otherwise that of the next such date. */
  readonly isEnd: boolean;
}

/** A date up to this many days before a market's listing or close is still in the same year, and not in the next. */
const DATE_SLACK_DAYS = 7;
/** Greatest number of days by which a deadline is before the close: venues set no deadlines in the past. */
export const DEADLINE_SLACK_DAYS = 1;

/** Returns the month number from 1 by its name or its first three letters; 0 for no month. */
export function monthOf(word: string): number {
  return MONTHS.indexOf(word.slice(0, 3).toLowerCase()) + 1;
}

/** Returns the day that `make` gives for the year that fits the context. */
function pickYear(context: DateContext, slack: number, make: (year: number) => string | null): string | null {
  const around = Number(context.day.slice(0, 4));
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const year of [around, around + 1, around - 1]) {
    const day = make(year);
    if (day === null) continue;
    const ahead = daysBetween(context.day, day);
    const distance = ahead < -slack && !context.isEnd ? 10_000 - ahead : Math.abs(ahead);
    if (distance < bestDistance) [best, bestDistance] = [day, distance];
  }
  return best;
}

/**
 * Parses a day: `March 11`, `Nov 7, 2025`, `11 March`, `2031-03-11`. A missing year comes from the context. Returns
 * null also if the weekday before it does not fit.
 */
export function parseDate(text: string, context: DateContext, slack = DATE_SLACK_DAYS): string | null {
  const words = text.trim();
  const iso = ISO.exec(words);
  if (iso) return makeDay(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const monthFirst = MONTH_DAY.exec(words);
  const dayFirst = monthFirst ? null : DAY_MONTH.exec(words);
  const [weekday, month, date, year] = monthFirst
    ? monthFirst.slice(1)
    : dayFirst
      ? [dayFirst[1], dayFirst[3], dayFirst[2], dayFirst[4]]
      : [];
  if (month === undefined) return null;
  const make = (at: number) => makeDay(at, monthOf(month), Number(date));
  const day = year === undefined ? pickYear(context, slack, make) : make(Number(year));
  return day !== null && weekday !== undefined && !isWeekday(day, weekday) ? null : day;
}

function isWeekday(day: string, word: string): boolean {
  return WEEKDAYS[weekdayOf(day)]!.startsWith(word.slice(0, 3).toLowerCase());
}

/** Returns the next such weekday at or after the context, or null for another word. */
export function parseWeekday(text: string, context: DateContext): string | null {
  const weekday = WEEKDAYS.indexOf(text.trim().toLowerCase());
  return weekday < 0 ? null : addDays(context.day, (weekday - weekdayOf(context.day) + 7) % 7);
}

/** A period of full days. */
export interface Period {
  readonly first: string;
  readonly last: string;
  readonly unit: 'days' | 'month' | 'quarter' | 'half' | 'year';
}

/** Parses a period of the calendar: `March`, `Q2 2026`, `the second half of 2025`, `2025`, `this year`. */
export function parsePeriod(text: string, context: DateContext): Period | null {
  const words = text.trim();
  const year = YEAR.exec(words)?.[1] ?? (THIS_YEAR.test(words) ? context.day.slice(0, 4) : undefined);
  if (year !== undefined) return { first: `${year}-01-01`, last: `${year}-12-31`, unit: 'year' };
  const month = MONTH.exec(words);
  if (month) return months('month', monthOf(month[1]!), 1, month[2], context);
  const quarter = QUARTER.exec(words);
  if (quarter) return months('quarter', ordinal(quarter[1], quarter[2]) * 3, 3, quarter[3], context);
  const half = HALF.exec(words);
  if (half) return months('half', ordinal(half[1], half[2]) * 6, 6, half[3], context);
  return null;
}

function ordinal(digit: string | undefined, word: string | undefined): number {
  return digit === undefined ? ORDINALS.indexOf(word!.toLowerCase()) + 1 : Number(digit);
}

function months(
  unit: Period['unit'],
  month: number,
  count: number,
  year: string | undefined,
  context: DateContext,
): Period {
  const make = (at: number) => lastDayOfMonth(at, month);
  const last = year === undefined ? pickYear(context, DEADLINE_SLACK_DAYS, make)! : make(Number(year));
  const first = makeDay(Number(last.slice(0, 4)), month - count + 1, 1)!;
  return { first, last, unit };
}

/** Parses a period of days: `March 2-8`, `Mar 30 - Apr 3, 2026`. Returns null for other text. */
export function parseRange(text: string, context: DateContext): Period | null {
  const [, month, from, firstYear, endMonth = month, to, year = firstYear] = RANGE.exec(text.trim()) ?? [];
  if (month === undefined) return null;
  const last = parseDate(`${endMonth} ${to}${year ? ` ${year}` : ''}`, context, DEADLINE_SLACK_DAYS);
  if (last === null) return null;
  const first = parseDate(`${month} ${from}${firstYear ? ` ${firstYear}` : ''}`, { day: last, isEnd: true });
  return first === null || first > last ? null : { first, last, unit: 'days' };
}
