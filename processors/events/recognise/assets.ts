/**
 * What price questions are about. Names are in `asset-names.ts`; here is how they stand in titles, fields and rules.
 */
import {
  CLASS_LETTERS,
  FUTURES_TICKERS,
  isExchangeTraded,
  SHARED_NAMES,
  SYMBOLS,
  symbolOfTicker,
  WORD_NAMES,
  WORD_TICKERS,
} from './asset-names.ts';

/** Words of what is measured about an asset and is not its price. */
const NO_ASSET =
  /\b(?:of|cap|capitalization|dominance|fdv|valuation|volume|supply|tvl|holdings|etf|index|gas|fees?|rate|reserve|market|revenue|treasury|hash ?rate|futures?|perp(?:etual)?s?|options?)\b/i;

const LEGAL_FORM = /,? (?:inc|corp|corporation|company|co|ltd|plc|group|holdings|technologies|global)\.?$/;
/** A ticker, with the letter of its share class: `BRK.B`. */
const TICKER = /^[A-Z]{1,6}(?:\.[A-Z])?$/;
const NAME_AND_TICKER = /^\$?(.+?)(?: \(\$?([\w.&]{1,10})\))?$/;

/**
 * The symbol of a name as it stands in a title (`Bitcoin`, `$BTC`, `NVIDIA (NVDA)`, `BTC/USD`), or null where it is not
 * known. A name that is not known is taken by the ticker that a title puts beside it, unless that is the symbol of
 * something else: `Sun Communities (SUI)` is no coin.
 */
export function assetOf(name: string): string | null {
  const [, plain = '', ticker] = NAME_AND_TICKER.exec(name.trim()) ?? [];
  const base = plain.replace(/[/-](?:usdt?|usdc)$/i, '').replace(/(?<=^\w{3,5})usdt?$/i, '');
  const symbol = SYMBOLS.get(plain.toLowerCase()) ?? SYMBOLS.get(base.toLowerCase()) ?? null;
  // A sign before it, or a currency behind it, tells that a word is a symbol.
  const isProse = ticker === undefined && base === plain && !name.trim().startsWith('$');
  if (isProse && isOnlyWord(plain)) return null;
  if (ticker === undefined) return symbol ?? cashtag(name);
  const byTicker = symbolOfTicker(ticker);
  if (byTicker !== null) return byTicker === (symbol ?? companyOf(plain)) || shares(plain, byTicker) ? byTicker : null;
  return symbol === null && !NO_ASSET.test(name) && TICKER.test(ticker) ? ticker : null;
}

/** True if a word is written as a word of the language rather than as the symbol or name that it is too. */
function isOnlyWord(word: string): boolean {
  const lower = word.toLowerCase();
  if (WORD_TICKERS.has(lower)) return word !== word.toUpperCase();
  return WORD_NAMES.has(lower) && !/^[A-Z]/.test(word);
}

/** True if a title written in capitals throughout has a word behind an article: `WILL THE COIN CLOSE ABOVE …`. */
export function isCommonNoun(name: string, title: string): boolean {
  const lower = name.toLowerCase();
  if (/[a-z]/.test(title) || !(WORD_TICKERS.has(lower) || WORD_NAMES.has(lower))) return false;
  return title.toUpperCase().includes(`THE ${name.toUpperCase()}`);
}

/** True if a name has several symbols, of which this is one. */
function shares(name: string, symbol: string): boolean {
  return SHARED_NAMES.get(name.toLowerCase().replace(LEGAL_FORM, ''))?.includes(symbol) ?? false;
}

/**
 * Why it is not certain that a symbol with other share classes beside it is meant, or null: neither the name by which a
 * title calls it nor the rules tell the class, or the rules speak of another one.
 */
export function classDoubt(symbol: string, name: string, rules: string): string | null {
  const classes = [...SHARED_NAMES.values()].find((symbols) => symbols.includes(symbol)) ?? [];
  if (classes.length < 2) return null;
  const named = classesIn(rules, classes);
  if (named.length > 0 && !named.includes(symbol)) return `the rules name ${named[0]}`;
  const isStated = named.length === 1 || classesIn(name, classes).length > 0;
  return isStated ? null : `whether ${classes.join(' or ')} is meant is not told`;
}

/** The share classes that words name, by ticker or letter. */
function classesIn(words: string, classes: readonly string[]): string[] {
  return classes.filter((one) => {
    const letter = CLASS_LETTERS[one] ?? '';
    return new RegExp(String.raw`\b(?:${one}|class ${letter})\b`, 'i').test(words);
  });
}

/** The ticker of the future that a title names beside an asset with a spot price of its own; empty for none. */
export function contractOf(name: string): string {
  const ticker = NAME_AND_TICKER.exec(name.trim())?.[2]?.toLowerCase() ?? '';
  return FUTURES_TICKERS.has(ticker) ? ticker.toUpperCase() : '';
}

/** The symbol of `Apple Inc.` is that of `Apple`: a company is called by its name with its legal form or without. */
function companyOf(name: string): string | null {
  const symbol = SYMBOLS.get(name.toLowerCase().replace(LEGAL_FORM, ''));
  return symbol !== undefined && isExchangeTraded(symbol) ? symbol : null;
}

/** `$LIBRA` names a symbol by its sign, whether it is known or not. */
function cashtag(name: string): string | null {
  return /^\$([A-Za-z]\w{1,9})$/.exec(name.trim())?.[1]?.toUpperCase() ?? null;
}

/** The symbol that a venue's structured field names, whatever it is: listing it is naming it. */
export function assetOfField(symbol: string): string {
  // A company's name does not tell its share class.
  if (SHARED_NAMES.has(symbol.toLowerCase())) return symbol;
  return SYMBOLS.get(symbol.toLowerCase()) ?? symbol;
}

/**
 * The symbol that a market's own rules give a name which is not known here: `Newcoin (NEWC)`, or the one pair they
 * speak of, `NEWC/USDT`, where the two begin alike.
 */
export function assetInRules(name: string, rules: string): string | null {
  if (!/^\w+(?: \w+)?$/.test(name) || NO_ASSET.test(name)) return null;
  const [, written] = new RegExp(String.raw`\b${name} \((\w{2,12})\)`, 'i').exec(rules) ?? [];
  if (written !== undefined) return assetOfField(written);
  const bases = new Set(Array.from(rules.matchAll(/\b([A-Z0-9]{2,12})\/(?:USDT?|USDC)\b/g), ([, base]) => base!));
  const [base] = bases;
  const isAlike = base?.[0]?.toLowerCase() === name[0]!.toLowerCase() && !name.includes(' ');
  return bases.size === 1 && isAlike ? assetOfField(base!) : null;
}

/** The asset that a title begins with, so that it is about it, or null. */
export function assetInFront(title: string): string | null {
  const [, word = ''] = /^(?:will )?(?:the )?(?:price of )?(\$?[\w.&-]+)/i.exec(title) ?? [];
  return assetOf(word);
}

/** A known asset named anywhere in a text, or null: tells that a question has to do with it and no more. */
export function assetMentioned(text: string): string | null {
  for (const [word] of text.matchAll(/[A-Za-z][\w&.-]*/g)) {
    const symbol = word.length > 2 && /^[A-Z]/.test(word) && !isOnlyWord(word) ? SYMBOLS.get(word.toLowerCase()) : null;
    if (symbol) return symbol;
  }
  return null;
}
