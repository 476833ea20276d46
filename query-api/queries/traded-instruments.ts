import type { EventLink } from '#schemas/topics/derived';
import type { TradedInstrument } from './read-trades.ts';

/** Both sides of a linked market are traded. */
export function instrumentsOf({ provider, yesInstrument, noInstrument }: EventLink): TradedInstrument[] {
  const sides = noInstrument === null ? [yesInstrument] : [yesInstrument, noInstrument];
  return sides.map((instrument) => ({ provider, instrument }));
}
