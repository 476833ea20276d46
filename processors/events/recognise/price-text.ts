/** Price thresholds of markets that are described in sentences: the title gives the strike, the rules the minute. */
import { parseAmount } from './amounts.ts';
import { assetInRules, assetOf } from './assets.ts';
import { dayOf, NEW_YORK, zonedTime } from './calendar.ts';
import { type TimeOfDay, timesIn } from './dates.ts';
import { type PriceSentence, readPriceSentence } from './price-sentence.ts';
import type { Deadline, MarketTexts, Recognition } from './question.ts';

/** The end of a day's last minute, where a touch question names the day alone. */
const END_OF_DAY: TimeOfDay = { minutes: 23 * 60 + 59, zone: NEW_YORK, words: 'end of the day' };
/** When venue_b's daily price markets are decided where their texts do not say (recorded rules of daily markets). */
const NOON: TimeOfDay = { minutes: 720, zone: NEW_YORK, words: "noon, the venue's custom" };

/** Reads a price threshold, or gives null. */
export function readPriceText(texts: MarketTexts): Recognition | null {
  const found = readTitle(texts);
  if (!found) return null;
  const { sentence, words } = found;
  const { strike } = sentence;
  const clock = findTime(sentence, texts);
  const deadline: Deadline = { day: sentence.day, atMs: clock.atMs };
  const doubts = findDoubts(sentence, texts, clock);
  const source = settlementSource(texts);
  return {
    kind: 'price_binary',
    underlying: strike.underlying,
    strike: { ...strike, strict: strictnessOf(strike.strict, texts.description) },
    deadline,
    settlementSource: source,
    confidence: doubts.length > 0 ? 0.3 : clock.confidence,
    source: 'ner',
    linkable: doubts.length === 0,
    evidence: {
      title: words,
      ...sentence.evidence,
      time: clock.words,
      ...(source ? { settlementSource: source } : {}),
      ...(doubts.length > 0 ? { doubt: doubts.join('; ') } : {}),
    },
  };
}

/** The title, or the group's title with its blank filled (`Bitcoin above ___ on March 11?`). */
function readTitle(texts: MarketTexts): { sentence: PriceSentence; words: string } | null {
  const filled =
    texts.groupTitle?.includes('__') && texts.groupItemTitle
      ? texts.groupTitle.replace(/_{2,}/, texts.groupItemTitle)
      : null;
  const nameOf = (name: string) => assetOf(name) ?? assetInRules(name, texts.description);
  for (const words of [texts.title, filled]) {
    const sentence = words === null ? null : readPriceSentence(words, texts.contextDay, nameOf);
    if (sentence) return { sentence, words: words! };
  }
  return null;
}

interface Clock {
  readonly atMs: number | null;
  readonly words: string;
  readonly confidence: number;
}

/** The minute: as the title says, else the rules, else the catalog's deadline, else custom. */
function findTime(sentence: PriceSentence, texts: MarketTexts): Clock {
  const { day, strike } = sentence;
  const at = (time: TimeOfDay, confidence: number): Clock => ({
    atMs: zonedTime(day, time.minutes, time.zone),
    words: time.words,
    confidence,
  });
  if (sentence.time) return at(sentence.time, 0.98);
  const told = distinctTimes(timesIn(texts.description), day);
  if (strike.semantics === 'touch') {
    const last = told.find(({ minutes }) => minutes === END_OF_DAY.minutes);
    return last ? at(last, 0.98) : at(END_OF_DAY, 0.95);
  }
  if (told.length === 1) return at(told[0]!, 0.98);
  const { endTimeMs } = texts;
  if (endTimeMs !== null && dayOf(endTimeMs, NEW_YORK) === day) {
    return { atMs: endTimeMs, words: "the catalog's deadline", confidence: 0.95 };
  }
  if (texts.venue === 'venue_b' && told.length === 0) return at(NOON, 0.9);
  return { atMs: null, words: 'not told', confidence: 0.8 };
}

/** Times that are one moment, as noon in New York and 16:00 UTC, count once: the first one named. */
function distinctTimes(times: readonly TimeOfDay[], day: string): TimeOfDay[] {
  const moments = new Set<number>();
  return times.filter(({ minutes, zone }) => {
    // An evening in New York is the next day's night in UTC, so whole days do not tell times apart.
    const moment = zonedTime(day, minutes, zone) % 86_400_000;
    return !moments.has(moment) && moments.add(moment);
  });
}

/** What speaks against the reading; with any of it the market is not linked. */
function findDoubts({ strike, day }: PriceSentence, texts: MarketTexts, clock: Clock): string[] {
  const doubts: string[] = [];
  const anyMoment = /\bany\b[^.]{0,40}\bcandle|at any (?:time|point|moment)/i.test(texts.description);
  if (strike.semantics === 'at_time' && anyMoment) doubts.push('the rules speak of any moment');
  if (strike.semantics === 'touch' && !anyMoment && /final "?close"? price/i.test(texts.description)) {
    doubts.push('the rules speak of one moment');
  }
  const item = texts.groupItemTitle === null ? null : parseAmount(texts.groupItemTitle.replace(/^[^\d$]+/, ''));
  if (item !== null && item !== strike.threshold) doubts.push('the group names another threshold');
  if (strike.semantics === 'at_time' && texts.endTimeMs !== null) {
    const end = dayOf(texts.endTimeMs, NEW_YORK);
    const late = clock.atMs === null ? end !== day : Math.abs(texts.endTimeMs - clock.atMs) > 86_400_000;
    if (late) doubts.push(`the catalog's deadline is ${end}`);
  }
  return doubts;
}

function strictnessOf(title: boolean | null, description: string): boolean | null {
  if (/equal to or|or equal to|at or (?:above|below)|or (?:higher|lower)\b/i.test(description)) return false;
  if (/\b(?:higher|lower|greater|less) than\b/i.test(description)) return true;
  return title;
}

/** Who tells the price: the named source, else what the rules call the resolution source. Lower case. */
function settlementSource({ resolutionSource, description }: MarketTexts): string | null {
  const told =
    /resolution source (?:for this market )?(?:is|will be) (?:information from )?(?:the )?([^.\n]{2,80}?)(?:,|\.|\n| specifically| currently|$)/i.exec(
      description,
    );
  const words = resolutionSource || told?.[1];
  return words ? words.trim().toLowerCase().slice(0, 80) : null;
}
