/**
 * Reads everything else: a statement with its deadline (`Elon Musk out as Head of DOGE in 2025?`), or an asset without
 * a readable threshold. Statements are compared word by word: any different word makes another question.
 */
import { assetInFront, assetMentioned } from './assets.ts';
import { cleanTitle } from './clean-title.ts';
import { plainWords } from './plain-words.ts';
import { contextOf } from './price-text.ts';
import { kindOnly, type MarketTexts, type Recognition } from './question.ts';
import { parseWhen, type When } from './when.ts';

const STATEMENT =
  /^(.+?),? ((?:by|before|in|during|on or before|prior to|no later than|until|through|on|this year)\b.*)$/i;
const MEASURE = /\b(?:fdv|market cap|etf|airdrop|tvl|dominance|all[- ]time high|ath|ipo)\b/i;
/** Words whose meaning depends on who asks, or when they ask. */
const RELATIVE = /\b(?:first|next|today|tomorrow|tonight|again|this|another|more|other)\b/i;
/** Least number of words of a linkable statement: a shorter one may be about anything. */
const WORDS_MIN = 3;
/** Confidence of a statement: words are less certain than fields and amounts. */
const CONFIDENCE = 0.85;

/** Reads a statement; null if nothing is recognised. */
export function readOther(texts: MarketTexts): Recognition | null {
  const title = cleanTitle(texts.title);
  const underlying = assetInFront(title);
  const split = splitStatement(title, texts);
  if (split) {
    const { text, when } = split;
    const words = plainWords(text);
    const statement = words.join(' ');
    const isComplete = words.length >= WORDS_MIN && when.type !== 'moment' && when.doubt === null;
    // In a title entirely in capitals, `IT` cannot be distinguished from `it`.
    const linkable = isComplete && /[a-z]/.test(title) && !RELATIVE.test(title) && !/\d/.test(statement);
    return {
      ...kindOnly('other', underlying, { kind: text, day: when.words }, { statement }),
      deadline: { day: when.day, atMs: null },
      question: linkable ? `${statement}|${when.scope}` : null,
      confidence: CONFIDENCE,
      linkable,
    };
  }
  const words = MEASURE.exec(title)?.[0] ?? assetMentioned(title);
  return words === null ? null : kindOnly('other', underlying, { kind: words });
}

/** True if a title is a statement with the time by which, or within which, it comes true. */
export function isStatement(texts: MarketTexts): boolean {
  const when = splitStatement(cleanTitle(texts.title), texts)?.when;
  return when !== undefined && when.type !== 'moment';
}

/** Splits a title into its statement and the longest time phrase at its end. */
function splitStatement(title: string, texts: MarketTexts): { text: string; when: When } | null {
  const context = contextOf(texts);
  let lead = '';
  let rest = title;
  for (let parts = STATEMENT.exec(rest); parts; parts = STATEMENT.exec(rest)) {
    const [, text = '', words = ''] = parts;
    const when = parseWhen(words, context);
    if (when) return { text: `${lead}${text}`, when };
    const word = words.indexOf(' ');
    if (word < 0) return null;
    lead += `${text} ${words.slice(0, word)} `;
    rest = words.slice(word + 1);
  }
  return null;
}
