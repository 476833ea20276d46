import type { Venue } from '../domain/providers.ts';
import { isOutcomeCoin } from './venue-a/outcome-coin.ts';

/**
 * Whether an instrument is a side of a question, and not an asset, by its spelling alone: what follows questions passes
 * over the others without decoding them.
 */
export const isQuestionInstrument: Record<Venue, (instrument: string) => boolean> = {
  venue_a: isOutcomeCoin,
  venue_b: () => true,
};
