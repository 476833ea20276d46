/**
 * Recognises the question of a market. The first recogniser with a result decides; without one the market is not
 * linked.
 */
import type { Market } from '#schemas/topics/normalised';
import { dayOf, UTC } from './calendar.ts';
import { readElection } from './election.ts';
import { readOther } from './other.ts';
import { readOutcomeDescription } from './outcome-description.ts';
import { readPriceRange, readPriceText } from './price-text.ts';
import { type MarketTexts, type Recogniser, type Recognition, UNRECOGNISED } from './question.ts';
import { readRate } from './rate.ts';
import { readSports } from './sports.ts';
import { readTicker } from './ticker.ts';
import { readUpDown } from './up-down.ts';

/** Recognisers in order of strength: machine-readable fields, then sentences, then words. */
const RECOGNISERS: readonly Recogniser[] = [
  readOutcomeDescription,
  readTicker,
  readPriceText,
  readUpDown,
  readPriceRange,
  readRate,
  readElection,
  readSports,
  readOther,
];

/** Longer texts are cut to this length: a question is stated at the beginning, and reading stays cheap. */
const TITLE_MAX = 300;
const DESCRIPTION_MAX = 8000;

/** Recognises the question of texts. */
export function recogniseTexts(texts: MarketTexts): Recognition {
  const bounded = {
    ...texts,
    title: texts.title.slice(0, TITLE_MAX),
    groupTitle: texts.groupTitle?.slice(0, TITLE_MAX) ?? null,
    groupItemTitle: texts.groupItemTitle?.slice(0, TITLE_MAX) ?? null,
    description: texts.description.slice(0, DESCRIPTION_MAX),
  };
  for (const recogniser of RECOGNISERS) {
    const recognition = recogniser(bounded);
    if (recognition) return { ...recognition, venue: texts.venue };
  }
  return UNRECOGNISED;
}

/** Recognises the question of a market of a catalog. */
export function recogniseMarket(market: Market): Recognition {
  return recogniseTexts({
    venue: market.provider.startsWith('venue_a') ? 'venue_a' : market.provider,
    marketId: market.marketId,
    title: market.title,
    description: market.description,
    groupTitle: market.groupTitle,
    groupItemTitle: market.groupItemTitle,
    resolutionSource: market.resolutionSource,
    endTimeMs: market.endTime,
    contextDay: dayOf(market.endTime ?? market.startTime ?? market.receivedAt, UTC),
    fields: readFields(market.fields),
  });
}

function readFields(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
