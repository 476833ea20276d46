/**
 * Price thresholds as sentences put them. A sentence is read whole, from the first word to the last: a title
 * that says anything more, as "market cap" or "first", is another question and is left alone.
 */
import { AMOUNT, isLess, parseAmount } from './amounts.ts';
import { isExchangeTraded, isKnownSymbol } from './asset-names.ts';
import { isWorkday } from './calendar.ts';
import { cleanTitle } from './clean-title.ts';
import type { DateContext } from './dates.ts';
import { COMPARE, isInclusive, isRising, STATE_AT, SUFFIX } from './price-verbs.ts';
import type { Strike } from './question.ts';
import { evidenceOf, type Frame, isUntoldEnd, type NameAsset, readFrame } from './sentence-frame.ts';
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
  readonly evidence: Readonly<Record<string, string>>;
}

const THRESHOLD = new RegExp(
  String.raw`^(.+?) ${COMPARE} (?:\((high|low)\) )?${AMOUNT}(?: \((high|low)\))?${SUFFIX}(?![\w+])(.*)$`,
  'i',
);
const AT_AMOUNT = new RegExp(String.raw`^(.+?) ${STATE_AT}()()()()${AMOUNT}()${SUFFIX}(?![\w+])(.*)$`, 'i');
const ANY_MOMENT = / at any (?:point|time|moment)(?: in time)?\b/i;
/** Regular trading on US exchanges opens at half past nine in New York, and closes at four. */
const OPENING_TIME: TimeOfDay = { minutes: 570, zone: 'America/New_York', isDaylight: null, words: 'opening price' };
const CLOSING_TIME: TimeOfDay = { minutes: 960, zone: 'America/New_York', isDaylight: null, words: 'closing price' };
const CLOSING = /^(?:close|end|finish|settle)$/i;

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
  const frame = threshold === null ? null : readFrame(before, after, context, nameAsset);
  if (threshold === null || !frame?.when || !isPrice(frame.underlying, amount, threshold)) return null;
  const verb = comparison || rise || fall || suffix || plus;
  if (!verb) return null;
  const isTouch = Boolean(rise || fall) || text !== clean;
  const ending = suffix ?? plus;
  const isUp = directionOf({ comparison, rise, edge, ending, verb });
  if (ending !== undefined && isRising(ending) !== isUp) return null;
  const reading = semanticsOf(isTouch, state, frame.when);
  if (!reading) return null;
  const session = sessionOf(frame, state);
  if (session === undefined) return null;
  const strict = isTouch ? /\b(?:below|under|beneath|above|over|past)$/i.test(verb) : !isInclusive(verb);
  const scope = [reading.scope, frame.place, session === OPENING_TIME ? 'opening' : ''].filter(Boolean).join(' ');
  return {
    strike: {
      underlying: frame.underlying,
      threshold,
      op: isUp ? 'gte' : 'lte',
      strict: strict && ending === undefined,
      semantics: reading.semantics,
      scope,
    },
    day: frame.when.day,
    time: frame.when.time ?? session,
    isVague: frame.when.isVague || isUntoldEnd(clean, frame.underlying, frame.when.day),
    doubt: reading.doubt ?? frame.when.doubt,
    evidence: evidenceOf(frame, { threshold: amount, op: [state, verb, edge, ending === verb ? '' : ending] }),
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

/** Whether the price must be or go above the amount. What is hit may be hit from either side, where an edge or ending says so. */
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

/** A movement happens at any moment of a time, a state holds at one moment: the rest is doubtful, or not a threshold. */
function semanticsOf(isTouch: boolean, state: string, when: When): Reading | null {
  if (isTouch) {
    if (when.type !== 'moment') return { semantics: 'touch', scope: when.scope, doubt: null };
    const isWholeDay = !when.time && !when.isVague && !/\b(?:end|close)\b/i.test(when.words);
    return isWholeDay ? { semantics: 'touch', scope: 'day', doubt: null } : null;
  }
  if (when.type === 'moment') return { semantics: 'at_time', scope: '', doubt: null };
  // "Close above by" asks for some day's close, "settle above in" for a day that a trading calendar gives.
  if (when.type === 'window' || CLOSING.test(state)) return null;
  return {
    semantics: 'touch',
    scope: when.scope,
    doubt: 'a state by a deadline may mean its end or any moment before',
  };
}

/** The time of day that an exchange's session gives; undefined for an opening of what never closes. */
function sessionOf({ underlying, session, when }: Frame, state: string): TimeOfDay | null | undefined {
  const isListed = isExchangeTraded(underlying);
  if (session === 'opening price' || /^open$/i.test(state)) return isListed ? OPENING_TIME : undefined;
  const isClose = session === 'closing price' || CLOSING.test(state);
  return isClose && isListed && when?.type === 'moment' && isWorkday(when.day) ? CLOSING_TIME : null;
}
