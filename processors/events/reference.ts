/** Which market an event is seen from. */
import { sameMinuteOf } from './link-evaluation.ts';
import type { MarketEntry } from './market-entry.ts';

/**
 * The market that the others are compared with: the first one of the minute in which most providers ask the question, so
 * that what can be compared is what is used. Of equally many the minute that was seen first.
 */
export function referenceOf(markets: readonly MarketEntry[]): MarketEntry {
  let best = markets[0]!;
  if (markets.length < 2) return best;
  let most = 0;
  for (const candidate of markets) {
    const moment = candidate.facts?.atMs ?? null;
    const agreeing =
      moment === null ? [candidate] : markets.filter((market) => sameMinuteOf(moment, market.facts?.atMs ?? null));
    const providers = new Set(agreeing.map((market) => market.provider)).size;
    if (providers > most) {
      most = providers;
      best = candidate;
    }
  }
  return best;
}

/** Whether a market is in the event by its day alone, so that nothing compares it with the reference. */
export function isLinkedByDayOnly({ facts }: MarketEntry, reference: MarketEntry): boolean {
  if (facts === null || facts.untimedVenue !== null) return false;
  const moment = reference.facts?.atMs ?? null;
  return moment === null || !sameMinuteOf(moment, facts.atMs);
}
