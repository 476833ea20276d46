/**
 * Combines titles without an amount with the market's own item or subtitle: `Bitcoin above ___ on March 11?` with
 * `64,000`, `How high will Bitcoin get this year?` with `$130,000 or above`, `What price will Ethereum hit in May?`
 * with `↓ 1,500`. The result is a sentence that is read like any other.
 */
import { AMOUNT } from './amounts.ts';
import { cleanTitle } from './clean-title.ts';
import { isRising } from './price-verbs.ts';

const ITEM = new RegExp(
  String.raw`^(?:([↑↓])\s*|(above|over|at least|at or above|more than|greater than|higher than|below|under|at most|at or below|less than|lower than) )?${AMOUNT}(?: (or (?:above|higher|more|greater|over|below|lower|less|under))|(\+))?$`,
  'i',
);
const ITEM_RANGE = new RegExp(`^(?:between )?${AMOUNT} ?(?:-|to|and) ?${AMOUNT}$`, 'i');
const HOW_FAR = /^how (high|low) will (.+?) (?:get|go|be|reach|trade|fall|climb) (.+)$/i;
const WHAT_HIT = /^what (?:price )?will (?:the price of )?(.+?) (?:hit|reach|touch) (.+)$/i;
const PRICE_ON = /^(?:what will )?(?:the )?(.+?) price(?: be)?,? ((?:on|at) .+)$/i;
const PRICE_OF = /^what will (?:the )?(?:price of )?(.+?) (?:be|close at|settle at|trade at) ((?:on|at) .+)$/i;

interface Item {
  readonly amount: string;
  /** `↑` or `↓` if an arrow states the direction, else empty. */
  readonly arrow: string;
  /** The words that state the direction, or empty. */
  readonly words: string;
}

/** Returns the sentence that a title and its item form, or null if they form none. */
export function combineTitle(title: string, item: string): string | null {
  if (title.includes('__')) return title.replace(/_{2,}/, item);
  const text = cleanTitle(title);
  const part = cleanTitle(item);
  const range = ITEM_RANGE.exec(part);
  const [, subject, when] = PRICE_OF.exec(text) ?? PRICE_ON.exec(text) ?? [];
  if (range) return subject === undefined ? null : `${subject} be between ${range[1]} and ${range[2]} ${when}`;
  const match = ITEM.exec(part);
  if (!match) return null;
  const [, arrow = '', lead, amount = '', suffix, plus] = match;
  const found: Item = { amount, arrow, words: lead ?? suffix ?? plus ?? '' };
  if (subject !== undefined) return atTime(subject, found, when!);
  const [, far, coin, period] = HOW_FAR.exec(text) ?? [];
  if (far !== undefined) return touch(coin!, found, period!, far.toLowerCase() === 'high');
  const [, name, time] = WHAT_HIT.exec(text) ?? [];
  if (name === undefined || (arrow === '' && found.words === '')) return null;
  return touch(name, found, time!, arrow === '' ? isRising(found.words) : arrow === '↑');
}

function atTime(subject: string, { amount, words }: Item, when: string): string | null {
  if (words === '') return null;
  return /^(?:or|\+)/i.test(words)
    ? `${subject} be at ${amount}${words === '+' ? '' : ' '}${words} ${when}`
    : `${subject} be ${words} ${amount} ${when}`;
}

function touch(subject: string, { amount, words }: Item, when: string, isUp: boolean): string | null {
  if (words !== '' && isRising(words) !== isUp) return null;
  const strict = /^(?:above|over|more|greater|higher|below|under|less|lower)/i.test(words);
  const verb = isUp ? (strict ? 'rise above' : 'reach') : strict ? 'fall below' : 'dip to';
  return `${subject} ${verb} ${amount} ${when}`;
}
