/**
 * Reads price thresholds in sentences. A sentence must match completely, from the first word to the last: a title with
 * anything more, for example "market cap" or "first", is another question and is ignored.
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

/** The parts of a sentence, with the words that state each part. */
export interface PriceSentence {
  readonly strike: Strike;
  readonly day: string;
  /** Null if the sentence states no time of day. */
  readonly time: TimeOfDay | null;
  /** True if it states a time of day without its zone. */
  readonly isVague: boolean;
  /** Reason for a doubt, or null. */
  readonly doubt: string | null;
  /** The original words that compare the price with the amount. */
  readonly comparison: string;
  readonly evidence: Readonly<Record<string, string>>;
}

const THRESHOLD = new RegExp(
  String.raw`^(.+?) ${COMPARE} (?:\((high|low)\) )?${AMOUNT}(?: \((high|low)\))?${SUFFIX}(?![\w+])(.*)$`,
  'i',
);
const AT_AMOUNT = new RegExp(String.raw`^(.+?) ${STATE_AT}()()()()${AMOUNT}()${SUFFIX}(?![\w+])(.*)$`, 'i');
const ANY_MOMENT = / at any (?:point|time|moment)(?: in time)?\b/i;
/** Matches a negation: `Will … not be above …` asks the opposite. */
const NEGATED = /^(.+) not$/i;
const CLOSING = /^(?:close|end|finish|settle)$/i;
/**
 * Verbs that on a day may mean at any moment or at the one that counts: `trade above`, `exceed`. Others mean the
 * latter.
 */
const PASSING = /^(?:trade$|exceed)/i;
const END_WORDS = /\b(?:end|close)\b/i;

/** Doubts that the rules of a market may resolve. */
export const DEADLINE_DOUBT = 'a state by a deadline may mean its end or any moment before';
export const DAY_DOUBT = 'on a day it may mean at one moment or at any';

/** Reads a title, or returns null. The context completes a date without a year. */
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
  // An opening or closing price is that of one moment, whatever the verb.
  const isPassing = frame.session === '' && PASSING.test(state || verb);
  const reading = semanticsOf(isTouch, isPassing, state, frame.when);
  if (!reading) return null;
  const isNegated = affirmed !== undefined;
  // A negated touch, or a negated doubtful comparison, is no threshold.
  if (isNegated && (reading.semantics !== 'at_time' || reading.doubt !== null)) return null;
  const isOpening = frame.session === 'opening price' || /^open$/i.test(state);
  // An asset that never closes has no opening.
  if (isOpening && !isExchangeTraded(frame.underlying)) return null;
  const session = sessionOf(frame, state, isOpening);
  const isStrict = isTouch ? /\b(?:below|under|beneath|above|over|past)$/i.test(verb) : !isInclusive(verb);
  const isMovement = Boolean(rise || fall);
  const countsAmount = ending !== undefined || (isMovement ? reachesAmount(verb) : isInclusive(verb));
  // A price that is not above an amount is at or below it.
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

/**
 * True for a price: an amount of a billion is the size of a market, and an asset known only by its ticker needs
 * dollars.
 */
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

/** True if the price must be or go above the amount. `hit` may mean either side if an edge or ending states it. */
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

/** Returns the semantics: a movement happens at any moment, a state at one; others are doubtful or no threshold. */
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
  // "Close above by" is about any day's close, "settle above in" about a day of a trading calendar.
  if (when.type === 'window' || CLOSING.test(state)) return null;
  return {
    semantics: 'touch',
    scope: when.scope,
    doubt: DEADLINE_DOUBT,
  };
}

/** Returns the exchange's opening or closing time if the sentence is about one and there is trading on that day. */
function sessionOf({ underlying, session, when }: Frame, state: string, isOpening: boolean): TimeOfDay | null {
  const closing = when?.type === 'moment' && isExchangeTraded(underlying) ? closingMinutes(when.day) : null;
  if (closing === null) return null;
  if (isOpening) return { minutes: OPENING_MINUTES, zone: NEW_YORK, isDaylight: null, words: 'opening price' };
  const isClose = when?.isClose === true || session === 'closing price' || CLOSING.test(state);
  return isClose ? { minutes: closing, zone: NEW_YORK, isDaylight: null, words: 'closing price' } : null;
}
