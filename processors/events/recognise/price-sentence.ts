/**
 * Price thresholds as sentences put them. A sentence is read whole, from the first word to the last: a title
 * that says anything more, as "market cap" or "first", is another question and is left alone.
 */
import { AMOUNT, isLess, parseAmount } from './amounts.ts';
import { isExchangeTraded, isKnownSymbol } from './asset-names.ts';
import { contractOf } from './assets.ts';
import { NEW_YORK } from './calendar.ts';
import { cleanTitle } from './clean-title.ts';
import type { DateContext } from './dates.ts';
import { closingMinutes, OPENING_MINUTES } from './exchange-calendar.ts';
import {
  COMPARE,
  isInclusive,
  isRising,
  reachesAmount,
  STATE_AT,
  SUFFIX,
  statedComparison,
  statedMovement,
} from './price-verbs.ts';
import type { Strike } from './question.ts';
import { evidenceOf, type Frame, isUnknownEnd, type NameAsset, readFrame } from './sentence-frame.ts';
import type { TimeOfDay } from './times.ts';
import type { When } from './when.ts';

/** What a sentence says, with the words that gave each part. */
export interface PriceSentence {
  readonly strike: Strike;
  readonly day: string;
  /** Null where the sentence names no time of day. */
  readonly time: TimeOfDay | null;
  /** True where it names one without its zone. */
  readonly isVague: boolean;
  /** What is not certain, or null. */
  readonly doubt: string | null;
  /** The words that compare the price with the amount, as they stand. */
  readonly comparison: string;
  readonly evidence: Readonly<Record<string, string>>;
}

const THRESHOLD = new RegExp(
  String.raw`^(.+?) ${COMPARE} (?:\((high|low)\) )?${AMOUNT}(?: \((high|low)\))?${SUFFIX}(?![\w+])(.*)$`,
  'i',
);
const AT_AMOUNT = new RegExp(String.raw`^(.+?) ${STATE_AT}()()()()${AMOUNT}()${SUFFIX}(?![\w+])(.*)$`, 'i');
const ANY_MOMENT = / at any (?:point|time|moment)(?: in time)?\b/i;
/** `Will … not be above …` is the opposite of what follows. */
const NEGATED = /^(.+) not$/i;
const CLOSING = /^(?:close|end|finish|settle)$/i;
/**
 * What trades above an amount on a day, or exceeds it, may do so once or when the price counts; what is above it, then.
 */
const PASSING = /^(?:trade$|exceed)/i;
const END_WORDS = /\b(?:end|close)\b/i;

/** Doubts that the rules may settle. */
export const DEADLINE_DOUBT = 'a state by a deadline may mean its end or any moment before';
export const DAY_DOUBT = 'on a day it may mean at one moment or at any';

/** Reads a title, or gives null. A part that a date leaves out is taken from the context. */
export function readPriceSentence(title: string, context: DateContext, nameAsset: NameAsset): PriceSentence | null {
  const clean = cleanTitle(title);
  const text = clean.replace(ANY_MOMENT, '');
  const parts = THRESHOLD.exec(text) ?? AT_AMOUNT.exec(text);
  if (!parts) return null;
  const [
    ,
    before = '',
    state = '',
    comparison,
    rise,
    fall,
    early = '',
    amount = '',
    late = '',
    suffix,
    plus,
    after = '',
  ] = parts;
  const edge = early || late;
  const threshold = parseAmount(amount);
  const [, affirmed] = NEGATED.exec(before) ?? [];
  const frame = threshold === null ? null : readFrame(affirmed ?? before, after, context, nameAsset);
  if (threshold === null || !frame?.when || !isPrice(frame.underlying, amount, threshold)) return null;
  const verb = comparison || rise || fall || suffix || plus;
  if (!verb) return null;
  const isTouch = Boolean(rise || fall) || text !== clean;
  const ending = suffix ?? plus;
  const isUp = directionOf({ comparison, rise, edge, ending, verb });
  if (ending !== undefined && isRising(ending) !== isUp) return null;
  // An opening or closing price is that of one moment, whatever it does.
  const isPassing = frame.session === '' && PASSING.test(state || verb);
  const reading = semanticsOf(isTouch, isPassing, state, frame.when);
  if (!reading) return null;
  const isNegated = affirmed !== undefined;
  // What is not touched, or not so at any moment, is no threshold.
  if (isNegated && (reading.semantics !== 'at_time' || reading.doubt !== null)) return null;
  const isOpening = frame.session === 'opening price' || /^open$/i.test(state);
  // What never closes has no opening.
  if (isOpening && !isExchangeTraded(frame.underlying)) return null;
  const session = sessionOf(frame, state, isOpening);
  const isStrict = isTouch ? /\b(?:below|under|beneath|above|over|past)$/i.test(verb) : !isInclusive(verb);
  const isMovement = Boolean(rise || fall);
  const countsAmount = ending !== undefined || (isMovement ? reachesAmount(verb) : isInclusive(verb));
  // What is not above an amount is at or below it.
  const op = isMovement
    ? statedMovement(isUp, countsAmount)
    : statedComparison(isUp !== isNegated, countsAmount !== isNegated);
  const scope = [reading.scope, frame.place, contractOf(frame.subject), isOpening ? 'opening' : '']
    .filter(Boolean)
    .join(' ');
  return {
    strike: {
      underlying: frame.underlying,
      threshold,
      op: isUp === isNegated ? 'lte' : 'gte',
      strict: (isStrict && ending === undefined) !== isNegated,
      semantics: reading.semantics,
      scope,
    },
    day: frame.when.day,
    time: frame.when.time ?? session,
    isVague:
      frame.when.isVague ||
      isUnknownEnd(clean, frame.underlying, frame.when.day) ||
      (isOpening && closingMinutes(frame.when.day) === null),
    doubt: reading.doubt ?? frame.when.doubt,
    comparison: [isNegated ? 'not' : '', state, verb, edge, ending === verb ? '' : ending].filter(Boolean).join(' '),
    evidence: evidenceOf(frame, { threshold: amount, op }),
  };
}

/** What costs a billion is a whole market; a name that is known from its ticker alone has a price only in dollars. */
function isPrice(underlying: string, amount: string, threshold: string): boolean {
  const isMoney = /\$|usd|dollar/i.test(amount);
  return isLess(threshold, '1000000000') && (isMoney || isKnownSymbol(underlying));
}

interface Direction {
  readonly comparison: string | undefined;
  readonly rise: string | undefined;
  readonly edge: string;
  readonly ending: string | undefined;
  readonly verb: string;
}

/**
 * True if the price must be or go above the amount. What is hit may be hit from either side, where an edge or ending
 * says so.
 */
function directionOf({ comparison, rise, edge, ending, verb }: Direction): boolean {
  if (edge) return edge.toLowerCase() === 'high';
  if (rise && ending !== undefined && /^(?:hit|touch)/i.test(rise)) return isRising(ending);
  return rise ? true : comparison || ending === verb ? isRising(verb) : false;
}

interface Reading {
  readonly semantics: Strike['semantics'];
  readonly scope: string;
  readonly doubt: string | null;
}

/**
 * A movement happens at any moment of a time, a state holds at one moment: the rest is doubtful, or not a threshold.
 */
function semanticsOf(isTouch: boolean, isPassing: boolean, state: string, when: When): Reading | null {
  if (isTouch) {
    if (when.type !== 'moment') return { semantics: 'touch', scope: when.scope, doubt: null };
    const isWholeDay = !when.time && !when.isVague && !when.isClose && !END_WORDS.test(when.words);
    return isWholeDay ? { semantics: 'touch', scope: 'day', doubt: null } : null;
  }
  if (when.type === 'moment') {
    const isOneMoment = !isPassing || when.time !== null || when.isVague || when.isClose || END_WORDS.test(when.words);
    return { semantics: 'at_time', scope: '', doubt: isOneMoment ? null : DAY_DOUBT };
  }
  // "Close above by" asks for some day's close, "settle above in" for a day that a trading calendar gives.
  if (when.type === 'window' || CLOSING.test(state)) return null;
  return {
    semantics: 'touch',
    scope: when.scope,
    doubt: DEADLINE_DOUBT,
  };
}

/** The time of day that an exchange's session gives: its opening or its close, where there is trading on that day. */
function sessionOf({ underlying, session, when }: Frame, state: string, isOpening: boolean): TimeOfDay | null {
  const closing = when?.type === 'moment' && isExchangeTraded(underlying) ? closingMinutes(when.day) : null;
  if (closing === null) return null;
  if (isOpening) return { minutes: OPENING_MINUTES, zone: NEW_YORK, isDaylight: null, words: 'opening price' };
  const isClose = when?.isClose === true || session === 'closing price' || CLOSING.test(state);
  return isClose ? { minutes: closing, zone: NEW_YORK, isDaylight: null, words: 'closing price' } : null;
}
