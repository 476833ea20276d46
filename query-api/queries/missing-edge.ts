/** Why an event has no arbitrage: from its links and the legs of its newest spread. Pure. */
import type { EventLink, SpreadLeg, UniversalEvent } from '#schemas/topics/derived';

/** Why a pair of legs cannot be quoted. The first is furthest from a quote. */
const PAIR_REASONS = ['stale_leg', 'no_book', 'unknown_fee', 'thin_book'] as const;
type PairReason = (typeof PAIR_REASONS)[number];

export const MISSING_EDGE_REASONS = ['one_provider', 'link_not_used', ...PAIR_REASONS] as const;
export type MissingEdgeReason = (typeof MISSING_EDGE_REASONS)[number];

/**
 * Why an event without arbitrage has none. Of several pairs of legs, the reason of the pair that is closest to a quote
 * counts. If nothing is missing of a pair, one of its books holds less than the size: otherwise it would be quoted.
 */
export function missingEdgeReason(
  { links }: Pick<UniversalEvent, 'links'>,
  legs: readonly SpreadLeg[],
): MissingEdgeReason {
  if (!hasSeveralProviders(links)) return 'one_provider';
  const used = links.filter((link) => link.used);
  if (!hasSeveralProviders(used)) return 'link_not_used';
  const steps = used.map((link) => ({ provider: link.provider, step: stepOf(link, legs) }));
  let best = 0;
  for (const one of steps)
    for (const other of steps)
      if (one.provider !== other.provider) best = Math.max(best, Math.min(one.step, other.step));
  return PAIR_REASONS[best]!;
}

function hasSeveralProviders(links: readonly EventLink[]): boolean {
  return links.some(({ provider }) => provider !== links[0]!.provider);
}

/** Index in `PAIR_REASONS` of what is missing of the leg of a link. */
function stepOf({ provider, providerMarketId, takerFeeRate }: EventLink, legs: readonly SpreadLeg[]): number {
  const leg = legs.find((one) => one.provider === provider && one.marketId === providerMarketId);
  return PAIR_REASONS.indexOf(reasonOf(leg, takerFeeRate));
}

function reasonOf(leg: SpreadLeg | undefined, takerFeeRate: string | null): PairReason {
  if (leg?.state === 'stale' || leg?.state === 'recovering' || leg?.state === 'venue_down') return 'stale_leg';
  // A market that is no longer traded has no prices.
  if (!leg?.live || (leg.yesBid === null && leg.yesAsk === null)) return 'no_book';
  return takerFeeRate === null ? 'unknown_fee' : 'thin_book';
}
