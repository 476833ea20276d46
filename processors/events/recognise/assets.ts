/** Finds the assets of price questions in titles, fields and rules. The names are in `asset-names.ts`. */
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

/** Words for measures of an asset other than its price. */
const NO_ASSET =
  /\b(?:of|cap|capitalization|dominance|fdv|valuation|volume|supply|tvl|holdings|etf|index|gas|fees?|rate|reserve|market|revenue|treasury|hash ?rate|futures?|perp(?:etual)?s?|options?)\b/i;

const LEGAL_FORM = /,? (?:inc|corp|corporation|company|co|ltd|plc|group|holdings|technologies|global)\.?$/;
/** A ticker, with the letter of its share class: `BRK.B`. */
const TICKER = /^[A-Z]{1,6}(?:\.[A-Z])?$/;
const NAME_AND_TICKER = /^\$?(.+?)(?: \(\$?([\w.&]{1,10})\))?$/;

/**
 * Returns the symbol of a name in a title (`Bitcoin`, `$BTC`, `NVIDIA (NVDA)`, `BTC/USD`), or null if it is unknown. An
 * unknown name is identified by the ticker beside it, unless that is the symbol of something else: `Sun Communities
 * (SUI)` is no coin.
 */
export function assetOf(name: string): string | null {
  const [, plain = '', ticker] = NAME_AND_TICKER.exec(name.trim()) ?? [];
  const base = plain.replace(/[/-](?:usdt?|usdc)$/i, '').replace(/(?<=^\w{3,5})usdt?$/i, '');
  const symbol = SYMBOLS.get(plain.toLowerCase()) ?? SYMBOLS.get(base.toLowerCase()) ?? null;
  // A sign before a word, or a currency after it, shows that it is a symbol.
  const isProse = ticker === undefined && base === plain && !name.trim().startsWith('$');
  if (isProse && isOnlyWord(plain)) return null;
  if (ticker === undefined) return symbol ?? cashtag(name);
  const byTicker = symbolOfTicker(ticker);
  if (byTicker !== null) return byTicker === (symbol ?? companyOf(plain)) || shares(plain, byTicker) ? byTicker : null;
  return symbol === null && !NO_ASSET.test(name) && TICKER.test(ticker) ? ticker : null;
}

/** True if a word that is also a symbol or name is written as an ordinary word. */
function isOnlyWord(word: string): boolean {
  const lower = word.toLowerCase();
  if (WORD_TICKERS.has(lower)) return word !== word.toUpperCase();
  return WORD_NAMES.has(lower) && !/^[A-Z]/.test(word);
}

/** True if a title entirely in capitals has the name after an article: `WILL THE COIN CLOSE ABOVE …`. */
export function isCommonNoun(name: string, title: string): boolean {
  const lower = name.toLowerCase();
  if (/[a-z]/.test(title) || !(WORD_TICKERS.has(lower) || WORD_NAMES.has(lower))) return false;
  return title.toUpperCase().includes(`THE ${name.toUpperCase()}`);
}

/** True if a name has several symbols and this is one of them. */
function shares(name: string, symbol: string): boolean {
  return SHARED_NAMES.get(name.toLowerCase().replace(LEGAL_FORM, ''))?.includes(symbol) ?? false;
}

/**
 * Returns why the share class of a symbol is uncertain, or null: neither the name in the title nor the rules state the
 * class, or the rules name another one.
 */
export function classDoubt(symbol: string, name: string, rules: string): string | null {
  const classes = [...SHARED_NAMES.values()].find((symbols) => symbols.includes(symbol)) ?? [];
  if (classes.length < 2) return null;
  const named = classesIn(rules, classes);
  if (named.length > 0 && !named.includes(symbol)) return `the rules name ${named[0]}`;
  const isStated = named.length === 1 || classesIn(name, classes).length > 0;
  return isStated ? null : `it is not stated if ${classes.join(' or ')} is meant`;
}

/** Returns the share classes that a text names, by ticker or letter. */
function classesIn(words: string, classes: readonly string[]): string[] {
  return classes.filter((one) => {
    const letter = CLASS_LETTERS[one] ?? '';
    return new RegExp(String.raw`\b(?:${one}|class ${letter})\b`, 'i').test(words);
  });
}

/** Returns the ticker of a future that a title names beside an asset that also has a spot price; empty without one. */
export function contractOf(name: string): string {
  const ticker = NAME_AND_TICKER.exec(name.trim())?.[2]?.toLowerCase() ?? '';
  return FUTURES_TICKERS.has(ticker) ? ticker.toUpperCase() : '';
}

/** Returns the symbol of a company, with or without its legal form: `Apple Inc.` is `Apple`. */
function companyOf(name: string): string | null {
  const symbol = SYMBOLS.get(name.toLowerCase().replace(LEGAL_FORM, ''));
  return symbol !== undefined && isExchangeTraded(symbol) ? symbol : null;
}

/** Returns the symbol of a name with a `$` sign, known or not: `$LIBRA`. */
function cashtag(name: string): string | null {
  return /^\$([A-Za-z]\w{1,9})$/.exec(name.trim())?.[1]?.toUpperCase() ?? null;
}

/** Returns the symbol of a venue's structured field; an unknown one is returned as it is. */
export function assetOfField(symbol: string): string {
  // A company's name does not state its share class.
  if (SHARED_NAMES.has(symbol.toLowerCase())) return symbol;
  return SYMBOLS.get(symbol.toLowerCase()) ?? symbol;
}

/**
 * Returns the symbol that a market's rules give an unknown name: `Newcoin (NEWC)`, or the only pair in the rules,
 * `NEWC/USDT`, if both start with the same letter.
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

/** Returns the asset at the start of a title, which is its subject, or null. */
export function assetInFront(title: string): string | null {
  const [, word = ''] = /^(?:will )?(?:the )?(?:price of )?(\$?[\w.&-]+)/i.exec(title) ?? [];
  return assetOf(word);
}

/** Returns a known asset named anywhere in a text, or null. The question is related to it, but need not be about it. */
export function assetMentioned(text: string): string | null {
  for (const [word] of text.matchAll(/[A-Za-z][\w&.-]*/g)) {
    const symbol = word.length > 2 && /^[A-Z]/.test(word) && !isOnlyWord(word) ? SYMBOLS.get(word.toLowerCase()) : null;
    if (symbol) return symbol;
  }
  return null;
}
