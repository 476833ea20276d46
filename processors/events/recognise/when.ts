/** Parses the phrase of a title that states when its question is decided. */
import { addDays } from './calendar.ts';
import {
  type DateContext,
  DEADLINE_SLACK_DAYS,
  type Period,
  parseDate,
  parsePeriod,
  parseRange,
  parseWeekday,
} from './dates.ts';
import { type TimeOfDay, timesIn, ZONE_NAME } from './times.ts';

/** The meaning of a time phrase. */
export interface When {
  /** `moment`: on a day; `deadline`: at any time up to the end of a day; `window`: at any time within a stretch. */
  readonly type: 'moment' | 'deadline' | 'window';
  /** The day on which it is decided, `YYYY-MM-DD`. */
  readonly day: string;
  /** Null if no time of day with its zone is stated. */
  readonly time: TimeOfDay | null;
  /** True if a time of day is stated without its zone: the minute is then unknown. */
  readonly isVague: boolean;
  /** True if it is the close of trading on that day. */
  readonly isClose: boolean;
  /** Distinguishes a window from a deadline at its end: `month`, `quarter`, `from <day>`; empty for none. */
  readonly scope: string;
  /** Reason for a doubt, or null. */
  readonly doubt: string | null;
  readonly words: string;
}

const TIME = new RegExp(
  String.raw`(?:,? ?(?:at|@) |, ?|^| )((?:noon|midnight|\d{1,2}(?::\d\d)? ?[ap]\.?m\b\.?|\d{1,2}:\d\d(?::\d\d)?)(?: ?\(?${ZONE_NAME}\)?)?)(?=[ ,]|$)`,
  'i',
);
/** Matches the close of an exchange before or after its day. */
const AT_CLOSE = /^at (?:the )?(?:market )?close,? (?:on|of) (.+)$|^(.+?),? at (?:the )?(?:market )?close$/i;
const LEAD =
  /^(on or before|no later than|prior to|before|until|till|through|by|in|during|within|on|at|as of|between|from) (.+)$/i;
const END_OF = /^(?:the )?(?:very )?(?:end|close|last day|final day|conclusion) of (.+)$/i;
const YEAR_END = /^(?:the )?(?:year[- ]end|eoy|year's end|end of (?:the )?year)(?: (?:of )?(20\d\d))?$/i;
const DEADLINES = new Set(['by', 'until', 'till', 'through', 'on or before', 'no later than']);

const NO_MORE = { time: null, isVague: false, isClose: false, scope: '', doubt: null };

/** Parses a complete phrase (`on March 11 at 5PM ET`, `by end of Q3 2025`, `March 2-8`), or returns null. */
export function parseWhen(text: string, context: DateContext): When | null {
  const words = text.replace(/^[\s,]+|[\s,]+$/g, '');
  if (words === '') return null;
  const [, on, before] = AT_CLOSE.exec(words) ?? [];
  const closing = on === undefined && before === undefined ? null : readDays(on ?? before!, context);
  if (closing?.type === 'moment') return { ...NO_MORE, ...closing, isClose: true, words };
  const clock = TIME.exec(words);
  const [time = null] = clock ? timesIn(clock[1]!) : [];
  const rest = clock ? words.replace(clock[0], '').replace(/^[\s,]+/, '') : words;
  const read = readDays(rest, context);
  // The midnight of a day may be its beginning or its end.
  const isStated = time !== null && !/^midnight/i.test(time.words);
  if (!read || (clock && read.type !== 'moment' && !isStated)) return null;
  return { ...NO_MORE, ...read, time: isStated ? time : null, isVague: clock !== null && !isStated, words };
}

type Days = Pick<When, 'type' | 'day'> & Partial<Pick<When, 'scope' | 'doubt'>>;

function readDays(text: string, context: DateContext): Days | null {
  const [, lead = '', rest = text] = LEAD.exec(text) ?? [];
  const word = lead.toLowerCase();
  if (DEADLINES.has(word)) return readDeadline(rest, context);
  if (word === 'before' || word === 'prior to') return readBefore(rest, context);
  if (word === 'in' || word === 'during' || word === 'within') return readWindow(parsePeriod(rest, context));
  if (word === 'between' || word === 'from') return readWindow(parseRange(rest, context));
  return readMoment(rest, context) ?? (word === '' || word === 'on' ? readBare(rest, context) : null);
}

function readMoment(text: string, context: DateContext): Days | null {
  const end = endOf(text, context);
  const day = end ?? parseDate(text, context) ?? parseWeekday(text, context);
  return day === null ? null : { type: 'moment', day };
}

/** Parses periods that need no word before them: `March 2-8` and `this year`. */
function readBare(text: string, context: DateContext): Days | null {
  const window = readWindow(parseRange(text, context));
  if (window) return window;
  return /^this year$/i.test(text) ? readWindow(parsePeriod(text, context)) : null;
}

function readDeadline(text: string, context: DateContext): Days | null {
  const day = endOf(text, context) ?? parseDate(text, context, DEADLINE_SLACK_DAYS) ?? parseWeekday(text, context);
  if (day !== null) return { type: 'deadline', day };
  const period = parsePeriod(text, context);
  // "By 2026" mostly means before it begins, "by March" mostly its end; neither is certain.
  const doubt = `"by ${text}" may mean its beginning or its end`;
  if (period) return { type: 'deadline', day: period.unit === 'year' ? addDays(period.first, -1) : period.last, doubt };
  return null;
}

function readBefore(text: string, context: DateContext): Days | null {
  const end = endOf(text, context);
  if (end !== null) return { type: 'deadline', day: end };
  const limit = parseDate(text, context, 0) ?? parseWeekday(text, context) ?? parsePeriod(text, context)?.first ?? null;
  return limit === null ? null : { type: 'deadline', day: addDays(limit, -1) };
}

function readWindow(period: Period | null): Days | null {
  if (!period) return null;
  const { first, last, unit } = period;
  // A question about a year is listed within it or shortly before, so its beginning distinguishes nothing.
  const scope = unit === 'year' ? '' : unit === 'days' ? `from ${first}` : unit;
  return { type: 'window', day: last, scope };
}

/** Returns the last day of a period that ends: `end of March`, `the end of 2025`, `EOY`. */
function endOf(text: string, context: DateContext): string | null {
  const yearEnd = YEAR_END.exec(text);
  if (yearEnd) return parsePeriod(yearEnd[1] ?? 'this year', context)!.last;
  const inner = END_OF.exec(text)?.[1];
  if (inner === undefined) return null;
  return parsePeriod(inner, context)?.last ?? parseDate(inner, context);
}

/** Parses the end of a period in a title: the `2025` of `end 2025 above`. */
export function parsePeriodEnd(text: string, context: DateContext): When | null {
  const period = parsePeriod(text, context);
  return period && { ...NO_MORE, type: 'moment', day: period.last, words: text };
}
