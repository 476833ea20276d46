import type { EventLink } from '#schemas/topics/derived';
import type { TradedInstrument } from './read-trades.ts';

/** The instruments of a linked market: YES, and NO if it has a book of its own. */
export function instrumentsOf({ provider, yesInstrument, noInstrument }: EventLink): TradedInstrument[] {
  const sides = noInstrument === null ? [yesInstrument] : [yesInstrument, noInstrument];
  return sides.map((instrument) => ({ provider, instrument }));
}
