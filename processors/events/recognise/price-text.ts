/** Reads price thresholds and ranges in sentences: the title states the amounts, the rules the minute. */
import { parseAmount } from './amounts.ts';
import { assetInRules, assetOf, classDoubt, isCommonNoun } from './assets.ts';
import { dayOf, NEW_YORK } from './calendar.ts';
import { combineTitle } from './combined-title.ts';
import type { DateContext } from './dates.ts';
import { type Clock, clockOf } from './price-clock.ts';
import { DAY_DOUBT, DEADLINE_DOUBT, type PriceSentence, readPriceSentence } from './price-sentence.ts';
import { kindOnly, type MarketTexts, type Recognition, UNRECOGNISED } from './question.ts';
import { type RangeSentence, readMeasureRange, readRangeSentence } from './range-sentence.ts';
import { settlementSourceOf } from './settlement-source.ts';

const ANY_MOMENT = /\bany\b[^.]{0,60}\b(?:candle|price)\b|at any (?:time|point|moment)/i;
const ONE_MOMENT = /final "?close"? price/i;

/** Returns the context for parsing the dates of a market. */
export function contextOf({ contextDay, endTimeMs }: MarketTexts): DateContext {
  return { day: contextDay, isEnd: endTimeMs !== null };
}

/** Reads a price threshold, or returns null. */
export function readPriceText(texts: MarketTexts): Recognition | null {
  const found = readWords(texts, readPriceSentence);
  if (!found) return null;
  const { words } = found;
  const sentence = resolveDoubt(found.sentence, texts.description);
  const { strike, day, time, isVague } = sentence;
  const clock = clockOf({ day, time, isVague, semantics: strike.semantics, underlying: strike.underlying }, texts);
  const doubts = findDoubts(sentence, texts, clock);
  const source = settlementSourceOf(texts);
  return {
    ...UNRECOGNISED,
    kind: 'price_binary',
    underlying: strike.underlying,
    strike: { ...strike, strict: strictnessOf(strike.strict, texts.description) },
    deadline: { day, atMs: clock.atMs },
    settlementSource: source,
    confidence: doubts.length > 0 ? 0.3 : clock.confidence,
    source: 'ner',
    linkable: doubts.length === 0,
    evidence: {
      title: words,
      ...sentence.evidence,
      semantics: `${sentence.comparison} … ${sentence.evidence.day}`,
      time: clock.words,
      ...(source ? { settlementSource: source } : {}),
      ...(doubts.length > 0 ? { doubt: doubts.join('; ') } : {}),
    },
  };
}

/** Reads a price between two thresholds, or returns null. Linkable only if its moment is stated. */
export function readPriceRange(texts: MarketTexts): Recognition | null {
  const found = readWords(texts, readRangeSentence);
  if (!found) {
    const size = readMeasureRange(texts.title);
    return size && kindOnly('price_range', null, { kind: 'between', title: texts.title, op: 'between' }, { ...size });
  }
  const { sentence, words } = found;
  const { underlying, range, when } = sentence;
  const evidence = { kind: 'between', title: words, ...sentence.evidence };
  const details = { lower: range.lower, upper: range.upper };
  if (!when) return kindOnly('price_range', underlying, evidence, details);
  const clock = clockOf({ ...when, semantics: 'at_time', underlying }, texts);
  const doubts = rangeDoubts(sentence, when.day, texts, clock);
  const doubt = doubts.length > 0 ? { doubt: doubts.join('; ') } : {};
  return {
    ...kindOnly('price_range', underlying, { ...evidence, time: clock.words, ...doubt }, details),
    deadline: { day: when.day, atMs: clock.atMs },
    question: `${underlying}|${range.lower}|${range.upper}|${range.scope}`,
    settlementSource: settlementSourceOf(texts),
    confidence: doubts.length > 0 ? 0.3 : clock.confidence,
    linkable: doubts.length === 0 && clock.atMs !== null,
  };
}

/** Reads the title, or the sentence that it forms with the market's own item. */
function readWords<S extends PriceSentence | RangeSentence>(
  texts: MarketTexts,
  read: (title: string, context: DateContext, nameAsset: (name: string) => string | null) => S | null,
): { sentence: S; words: string } | null {
  const context = contextOf(texts);
  const nameIn = (title: string) => (name: string) =>
    isCommonNoun(name, title) ? null : (assetOf(name) ?? assetInRules(name, texts.description));
  const direct = read(texts.title, context, nameIn(texts.title));
  if (direct) return { sentence: direct, words: texts.title };
  if (texts.groupItemTitle === null || !/\d/.test(texts.groupItemTitle)) return null;
  for (const title of [texts.groupTitle, texts.title]) {
    const words = title ? combineTitle(title, texts.groupItemTitle) : null;
    const sentence = words === null ? null : read(words, context, nameIn(title!));
    if (sentence) return { sentence, words: words! };
  }
  return null;
}

/** Resolves a doubt about the semantics if the rules mention one moment, or any moment. */
function resolveDoubt(sentence: PriceSentence, rules: string): PriceSentence {
  const { doubt, strike } = sentence;
  if (doubt !== DEADLINE_DOUBT && doubt !== DAY_DOUBT) return sentence;
  if (ANY_MOMENT.test(rules)) {
    if (doubt === DEADLINE_DOUBT) return { ...sentence, doubt: null };
    const scope = ['day', strike.scope].filter(Boolean).join(' ');
    return { ...sentence, doubt: null, strike: { ...strike, semantics: 'touch', scope } };
  }
  return ONE_MOMENT.test(rules) ? { ...sentence, doubt: null, strike: { ...strike, semantics: 'at_time' } } : sentence;
}

/** Returns the doubts about a reading; a market with any doubt is not linked. */
function findDoubts({ strike, day, doubt, evidence }: PriceSentence, texts: MarketTexts, clock: Clock): string[] {
  const doubts = doubt === null ? [] : [doubt];
  const anyMoment = ANY_MOMENT.test(texts.description);
  if (strike.semantics === 'at_time' && anyMoment) doubts.push('the rules mention any moment');
  if (strike.semantics === 'touch' && !anyMoment && ONE_MOMENT.test(texts.description)) {
    doubts.push('the rules mention one moment');
  }
  const item = texts.groupItemTitle === null ? null : parseAmount(texts.groupItemTitle.replace(/^[^\d$]+/, ''));
  if (item !== null && item !== strike.threshold) doubts.push('the group names another threshold');
  if (strike.semantics === 'at_time') doubts.push(...endDoubts(day, texts, clock));
  return [...doubts, ...classDoubts(strike.underlying, evidence.underlying!, texts)];
}

/** Returns the doubt about a company's share class: its name alone does not state it; the rules may state one. */
function classDoubts(underlying: string, name: string, { description }: MarketTexts): string[] {
  const doubt = classDoubt(underlying, name, description);
  return doubt === null ? [] : [doubt];
}

/** Returns the doubts about the reading of a range, which is a question about one moment. */
function rangeDoubts(
  { underlying, isTrading, evidence }: RangeSentence,
  day: string,
  texts: MarketTexts,
  clock: Clock,
): string[] {
  const doubts = [...endDoubts(day, texts, clock), ...classDoubts(underlying, evidence.underlying!, texts)];
  if (ANY_MOMENT.test(texts.description)) doubts.push('the rules mention any moment');
  else if (isTrading && !ONE_MOMENT.test(texts.description)) doubts.push(DAY_DOUBT);
  return doubts;
}

/** Returns a doubt if the moment is more than a day away from the catalog's deadline. */
function endDoubts(day: string, { endTimeMs }: MarketTexts, clock: Clock): string[] {
  if (endTimeMs === null) return [];
  const end = dayOf(endTimeMs, NEW_YORK);
  const late = clock.atMs === null ? end !== day : Math.abs(endTimeMs - clock.atMs) > 86_400_000;
  return late ? [`the catalog's deadline is ${end}`] : [];
}

function strictnessOf(title: boolean | null, description: string): boolean | null {
  if (/equal to or|or equal to|at or (?:above|below)|or (?:higher|lower)\b/i.test(description)) return false;
  if (/\b(?:higher|lower|greater|less) than\b/i.test(description)) return true;
  return title;
}
