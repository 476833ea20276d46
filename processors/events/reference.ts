/** Chooses the reference market of an event. */
import { sameMinuteOf } from './link-evaluation.ts';
import type { MarketEntry } from './market-entry.ts';

/**
 * Returns the market that the others are compared with: the first one of the minute for which most providers ask the
 * question, so that comparable markets are used. With equal numbers the minute that was seen first wins.
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

/** True if a market is linked only by its day, so that it is not comparable with the reference. */
export function isLinkedByDayOnly({ facts }: MarketEntry, reference: MarketEntry): boolean {
  if (facts === null || facts.untimedVenue !== null) return false;
  const moment = reference.facts?.atMs ?? null;
  return moment === null || !sameMinuteOf(moment, facts.atMs);
}
