/** What price questions are about. Names are in `asset-names.ts`; here is how they stand in titles, fields and rules. */
import { isExchangeTraded, SYMBOLS, TICKER_ALIASES } from './asset-names.ts';

/** Words of what is measured about an asset and is not its price. */
const NO_ASSET =
  /\b(?:of|cap|capitalization|dominance|fdv|valuation|volume|supply|tvl|holdings|etf|index|gas|fees?|rate|reserve|market|revenue|treasury|hash ?rate|futures?|perp(?:etual)?s?|options?)\b/i;

const LEGAL_FORM = /,? (?:inc|corp|corporation|company|co|ltd|plc|group|holdings|technologies|global)\.?$/;

/**
 * The symbol of a name as it stands in a title (`Bitcoin`, `$BTC`, `NVIDIA (NVDA)`, `BTC/USD`), or null where it is not
 * known. A name that is not known is taken by the ticker that a title puts beside it, unless that is the symbol of
 * something else: `Sun Communities (SUI)` is no coin.
 */
export function assetOf(name: string): string | null {
  const [, plain = '', ticker] = /^\$?(.+?)(?: \(\$?([\w.&]{1,10})\))?$/.exec(name.trim()) ?? [];
  const base = plain.replace(/[/-](?:usdt?|usdc)$/i, '').replace(/(?<=^\w{3,5})usdt?$/i, '');
  const symbol = SYMBOLS.get(plain.toLowerCase()) ?? SYMBOLS.get(base.toLowerCase()) ?? null;
  if (ticker === undefined) return symbol ?? cashtag(name);
  const byTicker = SYMBOLS.get(ticker.toLowerCase()) ?? TICKER_ALIASES[ticker.toLowerCase()] ?? null;
  if (byTicker !== null) return byTicker === (symbol ?? companyOf(plain)) ? byTicker : null;
  return symbol === null && !NO_ASSET.test(name) && /^[A-Z]{1,6}$/.test(ticker) ? ticker : null;
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
  return SYMBOLS.get(symbol.toLowerCase()) ?? symbol;
}

/**
 * The symbol that a market's own rules give a name which is not known here: `Newcoin (NEWC)`, or the one pair they speak
 * of, `NEWC/USDT`, where the two begin alike.
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
    const symbol = word.length > 2 ? SYMBOLS.get(word.toLowerCase()) : undefined;
    // Symbols are words too ("link", "near", "apple"), so only names and capitals count.
    if (symbol && (word === word.toUpperCase() || /^[A-Z]/.test(word))) return symbol;
  }
  return null;
}
