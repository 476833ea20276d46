/**
 * Recognises the question of a market. The first recogniser with a result decides; without one the market is not
 * linked.
 */
import { asObject } from '#schemas/domain/json-fields';
import { VENUES } from '#schemas/domain/providers';
import type { Market } from '#schemas/topics/normalised';
import { conventionsOf } from '../../venues/index.ts';
import { dayOf, UTC } from './calendar.ts';
import { readElection } from './election.ts';
import { readOther } from './other.ts';
import { readPriceRange, readPriceText } from './price-text.ts';
import { type MarketTexts, type Recogniser, type Recognition, UNRECOGNISED } from './question.ts';
import { readRate } from './rate.ts';
import { readSports } from './sports.ts';
import { readUpDown } from './up-down.ts';

/** Recognisers after the one of the venue's own fields, in order of strength: sentences, then words. */
const RECOGNISERS: readonly Recogniser[] = [
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

/** The texts of a market with the venue that asks. */
export type VenueTexts = Omit<MarketTexts, 'conventions'> & { readonly venue: string };

/** Recognises the question of texts. */
export function recogniseTexts({ venue, ...texts }: VenueTexts): Recognition {
  const conventions = conventionsOf(venue);
  const bounded: MarketTexts = {
    ...texts,
    conventions,
    title: texts.title.slice(0, TITLE_MAX),
    groupTitle: texts.groupTitle?.slice(0, TITLE_MAX) ?? null,
    groupItemTitle: texts.groupItemTitle?.slice(0, TITLE_MAX) ?? null,
    description: texts.description.slice(0, DESCRIPTION_MAX),
  };
  const { readFields = () => null } = conventions;
  for (const recogniser of [readFields, ...RECOGNISERS]) {
    const recognition = recogniser(bounded);
    if (recognition) return { ...recognition, venue };
  }
  return UNRECOGNISED;
}

/** Recognises the question of a market of a catalog. */
export function recogniseMarket(market: Market): Recognition {
  return recogniseTexts({
    venue: venueOf(market.provider),
    marketId: market.marketId,
    title: market.title,
    description: market.description,
    groupTitle: market.groupTitle,
    groupItemTitle: market.groupItemTitle,
    resolutionSource: market.resolutionSource,
    endTimeMs: market.endTime,
    contextDay: dayOf(market.endTime ?? market.startTime ?? market.receivedAt, UTC),
    fields: asObject(JSON.parse(market.fields)),
  });
}

/** Returns the venue of a provider, which may be a sub-provider. */
function venueOf(provider: string): string {
  return VENUES.find((venue) => provider === venue || provider.startsWith(`${venue}_`)) ?? provider;
}
