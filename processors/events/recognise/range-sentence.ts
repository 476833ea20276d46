/** Reads prices between two amounts in sentences, which must match completely like thresholds (`price-sentence.ts`). */
import { AMOUNT, isLess, parseAmount } from './amounts.ts';
import { contractOf } from './assets.ts';
import { cleanTitle } from './clean-title.ts';
import type { DateContext } from './dates.ts';
import type { PriceRange } from './question.ts';
import { evidenceOf, isUnknownEnd, type NameAsset, readFrame } from './sentence-frame.ts';
import type { When } from './when.ts';

/** The parts of a sentence about a range. The end may be missing. */
export interface RangeSentence {
  readonly underlying: string;
  readonly range: PriceRange;
  readonly when: When | null;
  /** True if it must trade there on a day without a stated time: it may mean at one moment or at any. */
  readonly isTrading: boolean;
  readonly evidence: Readonly<Record<string, string>>;
}

const BETWEEN = new RegExp(
  `^(.+?) (?:(be|close|end|finish|settle|trades?)(?: trading)?(?: at)? )?(?:between|from|within|in the range(?: of)?) ${AMOUNT} ?(?:and|to|-) ?${AMOUNT}(.*)$`,
  'i',
);
const FROM_TO = new RegExp(
  `^(.+?) (be|close|end|finish|settle|trades?)(?: at)? ${AMOUNT} ?(?:to|-) ?${AMOUNT}(.*)$`,
  'i',
);

/** Reads a title about a price between two amounts, or returns null. */
export function readRangeSentence(title: string, context: DateContext, nameAsset: NameAsset): RangeSentence | null {
  const text = cleanTitle(title);
  const [, before = '', state = '', low, high, after = ''] = BETWEEN.exec(text) ?? FROM_TO.exec(text) ?? [];
  if (low === undefined || high === undefined) return null;
  const range = rangeOf(low, high);
  const frame = range && readFrame(before, after, context, nameAsset);
  if (!frame) return null;
  const when = frame.when?.type === 'moment' ? frame.when : null;
  const scope = [frame.place, contractOf(frame.subject), frame.session].filter(Boolean).join(' ');
  return {
    underlying: frame.underlying,
    range: { ...range, scope },
    when: when && { ...when, isVague: when.isVague || isUnknownEnd(text, frame.underlying, when.day) },
    isTrading: /^trade/i.test(state) && when !== null && when.time === null && !when.isVague,
    evidence: evidenceOf(frame, { range: `${low} to ${high}`, op: 'between' }),
  };
}

const MEASURE = /\b(?:market cap(?:italization)?|fdv|valuation)\b/i;

/** Returns the two amounts of a title about the size of a market and not about a price, or null. */
export function readMeasureRange(title: string): (Pick<PriceRange, 'lower' | 'upper'> & { measure: string }) | null {
  const text = cleanTitle(title);
  const measure = MEASURE.exec(text)?.[0].toLowerCase();
  const [, , , low, high] = measure === undefined ? [] : (BETWEEN.exec(text) ?? []);
  const range = low === undefined || high === undefined ? null : rangeOf(low, high);
  return range && { ...range, measure: measure! };
}

/** Parses both amounts. In `$86-88k` the unit counts for both, unless the range would then run backwards. */
function rangeOf(low: string, high: string): Pick<PriceRange, 'lower' | 'upper'> | null {
  const upper = parseAmount(high);
  const unit = /\d ?([a-z]+)$/i.exec(high)?.[1] ?? '';
  const shared = /[a-z]$/i.test(low) ? null : parseAmount(`${low}${unit}`);
  const lower = shared !== null && upper !== null && isLess(shared, upper) ? shared : parseAmount(low);
  return lower === null || upper === null || !isLess(lower, upper) ? null : { lower, upper };
}
