/**
 * Price thresholds as sentences put them (venue_b titles). Each form is matched whole, from the first word to the last:
 * a title that says anything more, as "market cap" or "first", is another question and is left alone.
 */
import { AMOUNT, parseAmount } from './amounts.ts';
import { parseDate, parseMoment, parsePeriod, type TimeOfDay } from './dates.ts';
import type { Strike } from './question.ts';

/** What a sentence says, with the words that gave each part. */
export interface PriceSentence {
  readonly strike: Strike;
  readonly day: string;
  /** Null where the sentence names no time of day. */
  readonly time: TimeOfDay | null;
  readonly evidence: Readonly<Record<string, string>>;
}

const SUBJECT = String.raw`(?:will )?(?:the )?(?:price of )?(\$?[\w&.-]+(?: [\w&.-]+){0,3}?(?: \([\w$]+\))?)(?: price)?`;
const COMPARISON =
  '(above|greater than or equal to|greater than|more than|higher than|over|at least|at or above|below|less than or equal to|less than|lower than|under|at most|at or below)';

const AT_TIME = new RegExp(`^${SUBJECT}(?: be| close| trade)? ${COMPARISON} ${AMOUNT} on (.+)$`, 'i');
const OPENING = new RegExp(`^will the (.+?) opening price on (.+?) be ${COMPARISON} ${AMOUNT}$`, 'i');
const TOUCH_UP = new RegExp(
  String.raw`^${SUBJECT}(?: on (\w+))? (?:reach|hit|touch) (?:\((high|low)\) )?${AMOUNT} ((?:by|before|in) .+)$`,
  'i',
);
const TOUCH_DOWN = new RegExp(
  `^${SUBJECT} (?:dip|fall|drop|crash) (to|below|under) ${AMOUNT} ((?:by|before|in) .+)$`,
  'i',
);

const RISING = /^(above|greater|more|higher|over|at least|at or above)/i;
const INCLUSIVE = /^(at |.* or equal)/i;
/** Regular trading on US exchanges opens at half past nine in New York. */
const OPENING_TIME: TimeOfDay = { minutes: 570, zone: 'America/New_York', words: 'opening price' };

/** Gives the symbol of a name, or null where the name is not known. */
export type NameAsset = (name: string) => string | null;

/** Reads a title, or gives null. A date without a year is read near `contextDay`. */
export function readPriceSentence(title: string, contextDay: string, nameAsset: NameAsset): PriceSentence | null {
  const text = title.trim().replace(/\s+/g, ' ').replace(/\?$/, '');
  const parts =
    readAtTime(text, contextDay) ??
    readOpening(text, contextDay) ??
    readTouchUp(text, contextDay) ??
    readTouchDown(text, contextDay);
  return parts && build(parts, nameAsset);
}

function readAtTime(text: string, contextDay: string): Parts | null {
  const [, subject, comparison, amount, when] = AT_TIME.exec(text) ?? [];
  if (when === undefined) return null;
  const moment = parseMoment(when, contextDay);
  return moment && { subject, comparison, amount, when, ...moment, scope: '' };
}

function readOpening(text: string, contextDay: string): Parts | null {
  const [, subject, when, comparison, amount] = OPENING.exec(text) ?? [];
  const day = when === undefined ? null : parseDate(when, contextDay);
  return day === null ? null : { subject, comparison, amount, when, day, time: OPENING_TIME, scope: 'opening' };
}

function readTouchUp(text: string, contextDay: string): Parts | null {
  const [, subject, place, edge, amount, when] = TOUCH_UP.exec(text) ?? [];
  const period = when === undefined ? null : parsePeriod(when, contextDay);
  if (!period) return null;
  const op = edge?.toLowerCase() === 'low' ? 'lte' : 'gte';
  // The price in one named place is a question of its own.
  const scope = [period.scope, place ? `on ${place.toLowerCase()}` : ''].filter(Boolean).join(' ');
  return { subject, touch: op, amount, when, day: period.lastDay, time: null, scope };
}

function readTouchDown(text: string, contextDay: string): Parts | null {
  const [, subject, limit, amount, when] = TOUCH_DOWN.exec(text) ?? [];
  const period = when === undefined ? null : parsePeriod(when, contextDay);
  if (!period) return null;
  const strict = limit?.toLowerCase() !== 'to';
  return { subject, touch: 'lte', strict, amount, when, day: period.lastDay, time: null, scope: period.scope };
}

interface Parts {
  readonly subject: string | undefined;
  /** The words of an at-time comparison. */
  readonly comparison?: string | undefined;
  /** The direction of a touch, and whether it must go beyond. */
  readonly touch?: 'gte' | 'lte';
  readonly strict?: boolean;
  readonly amount: string | undefined;
  readonly when: string | undefined;
  readonly day: string;
  readonly time: TimeOfDay | null;
  readonly scope: string;
}

function build(parts: Parts, nameAsset: NameAsset): PriceSentence | null {
  const { subject = '', comparison, touch, strict, amount = '', when = '', day, time, scope } = parts;
  const underlying = nameAsset(subject);
  const threshold = parseAmount(amount);
  if (underlying === null || threshold === null) return null;
  const atTime = comparison !== undefined;
  return {
    strike: {
      underlying,
      threshold,
      op: touch ?? (RISING.test(comparison ?? '') ? 'gte' : 'lte'),
      strict: atTime ? !INCLUSIVE.test(comparison) : (strict ?? false),
      semantics: atTime ? 'at_time' : 'touch',
      scope,
    },
    day,
    time,
    evidence: {
      underlying: subject,
      threshold: amount,
      op: comparison ?? (touch === 'gte' ? 'reaches' : 'falls to'),
      semantics: atTime ? `on ${when}` : when,
    },
  };
}
