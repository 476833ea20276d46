/** Reads the parts around the comparison of a price sentence: the subject before it, the time before or after it. */
import { isCoin, isExchangeTraded, isKnownSymbol } from './asset-names.ts';
import type { DateContext } from './dates.ts';
import { isTradingDay } from './exchange-calendar.ts';
import { parsePeriodEnd, parseWhen, type When } from './when.ts';

/** Returns the symbol of a name, or null if the name is unknown. */
export type NameAsset = (name: string) => string | null;

/** The parts of a sentence without its comparison. */
export interface Frame {
  readonly underlying: string;
  readonly subject: string;
  /** Null if the sentence has no readable time. */
  readonly when: When | null;
  /** The named place of the price, which makes it another question; empty without one. */
  readonly place: string;
  /** `opening price` or `closing price` if the subject is one, else empty. */
  readonly session: string;
}

const LEADING_WHEN = /^((?:on|by|before|in|at|during) [^?]+?), (?=[a-z$])/i;
const TRAILING_WHEN = /^(.+?),? ((?:on|by|before|in|at|during|through|until) .+)$/i;
/** Words for an end whose minute is known only for an exchange that closes. */
const ENDS = /\b(?:close[sd]?|closing|ends?|eoy|finish(?:es)?|settles?|last day|final day|conclusion)\b/i;
/** Words for futures, which have another price than the asset that they are named after. */
const FUTURES = /\bfutures\b/i;
const STOCK = /\b(?:stock|shares?)\b/i;
const COIN = /\b(?:coin|token)\b/i;
const ENDING_PERIOD = /^(.+?) (?:end|finish|close|ends|closes) (?:the )?([\w ]+)$/i;
const QUESTION = /^(?:will|would|does|do|is|are|can|could) /i;
const SUBJECT =
  /^(?:the )?(?:(?:spot |daily )?(?:price|value) of )?(?:an? |one |1 )?(?:(?:barrel|ounce|share|coin|token) of )?(.+?)(?:'s)?(?: (?:spot )?(?:price|stock price|share price|stock|shares|futures|token))?$/i;
const SESSION = /^(.+?)(?:'s)? (opening|closing) price$/i;
const PLACE =
  /(?:^|,? )(?:on|according to|per|via) (?:the )?(binance|binance us|coinbase|kraken|uniswap|bitstamp|bybit|okx|coingecko|coinmarketcap|pyth|chainlink|hyperliquid|kucoin|gemini)(?=[ ,]|$)/i;
/** Matches a place in the subject, where any single word may be one. */
const SUBJECT_PLACE = /^(.+?) on (\w+)$/i;

/** Reads the text before and after a comparison; null if the subject is no known asset. */
export function readFrame(before: string, after: string, context: DateContext, nameAsset: NameAsset): Frame | null {
  let text = before.trim();
  let when: When | null = null;
  const leading = LEADING_WHEN.exec(text);
  if (leading) {
    when = parseWhen(leading[1]!, context);
    if (when) text = text.slice(leading[0].length);
  }
  text = text.replace(QUESTION, '');
  const tail = splitPlace(after.replace(/^ - | - /, ', '));
  const late = tail.text === '' ? null : parseWhen(tail.text, context);
  if (tail.text !== '' && (!late || when)) return subjectOnly(text, nameAsset);
  when ??= late;
  const head = when ? null : splitTrailing(text, context);
  const subject = splitSubject(head?.text ?? text, nameAsset);
  if (!subject) return null;
  return { ...subject, when: when ?? head?.when ?? null, place: tail.place || subject.place };
}

/** Reads only the subject, if the text after it is more than a time. */
function subjectOnly(text: string, nameAsset: NameAsset): Frame | null {
  const subject = splitSubject(text, nameAsset);
  return subject && { ...subject, when: null };
}

function splitPlace(text: string): { text: string; place: string } {
  const place = PLACE.exec(text);
  if (!place) return { text: text.replace(/^[\s,]+|[\s,]+$/g, ''), place: '' };
  const rest = text.slice(0, place.index) + text.slice(place.index + place[0].length);
  return { text: rest.replace(/^[\s,]+|[\s,]+$/g, ''), place: `on ${place[1]!.toLowerCase()}` };
}

function splitTrailing(text: string, context: DateContext): { text: string; when: When } | null {
  const [, first = '', words] = TRAILING_WHEN.exec(text) ?? [];
  const when = words === undefined ? null : parseWhen(words, context);
  if (when) return { text: first, when };
  const [, subject = '', period] = ENDING_PERIOD.exec(text) ?? [];
  const end = period === undefined ? null : parsePeriodEnd(period, context);
  return end && { text: subject, when: end };
}

function splitSubject(text: string, nameAsset: NameAsset): Omit<Frame, 'when'> | null {
  const [, sessionName, session] = SESSION.exec(text.replace(/^the /i, '')) ?? [];
  const name = sessionName ?? SUBJECT.exec(text)?.[1] ?? text;
  const underlying = nameAsset(name);
  if (underlying !== null) {
    if (!isItself(text.replace(name, ''), underlying)) return null;
    return { underlying, subject: name, place: '', session: session ? `${session.toLowerCase()} price` : '' };
  }
  const [, inner, place] = SUBJECT_PLACE.exec(name) ?? [];
  const placed = inner === undefined ? null : nameAsset(inner);
  return placed === null
    ? null
    : { underlying: placed, subject: inner!, place: `on ${place!.toLowerCase()}`, session: '' };
}

/** True if the words around a name do not change its meaning: "stock of Ripple" is not the coin. */
function isItself(words: string, underlying: string): boolean {
  if (FUTURES.test(words)) return false;
  if (STOCK.test(words)) return isExchangeTraded(underlying) || !isKnownSymbol(underlying);
  return !COIN.test(words) || isCoin(underlying) || !isKnownSymbol(underlying);
}

/** True if a sentence mentions the close or end of an asset that does not close on that day: the minute is unknown. */
export function isUnknownEnd(sentence: string, underlying: string, day: string): boolean {
  return ENDS.test(sentence) && !(isExchangeTraded(underlying) && isTradingDay(day));
}

/** Returns the words that state each part of a sentence. */
export function evidenceOf(
  { subject, when, session }: Frame,
  words: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    underlying: session ? `${subject} ${session}` : subject,
    ...words,
    ...(when ? { day: when.words } : {}),
  };
}
