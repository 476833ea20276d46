/** Reads what a market asks. The first recogniser that takes it decides; where none does, the market stands alone. */
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

/** In order of strength: fields made for machines, then sentences, then words. */
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

/** Longer texts are read up to here: what tells a question stands at its beginning, and reading stays cheap. */
const TITLE_MAX = 300;
const DESCRIPTION_MAX = 8000;

/** What texts ask. */
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

/** What a market of the catalog asks. */
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
