import type { Venue } from '../domain/providers.ts';
import { isOutcomeCoin } from './venue-a/outcome-coin.ts';

/**
 * For each venue a function that returns true if an instrument is an outcome of a question, not an asset. It looks only
 * at the spelling, so that stages about questions skip other records without decoding them.
 */
export const isQuestionInstrument: Record<Venue, (instrument: string) => boolean> = {
  venue_a: isOutcomeCoin,
  venue_b: () => true,
};
