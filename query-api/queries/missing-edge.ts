/** Why an event has no arbitrage: from its links and the legs of its newest spread. Pure. */
import { ARBITRAGE_KINDS, type ArbitrageKind, bookSideOf } from '#schemas/domain/arbitrage/pair';
import type { EventLink, SpreadLeg, UniversalEvent } from '#schemas/topics/derived';
import type { MarketStatus } from '#schemas/topics/normalised';

/** Why a pair of legs cannot be quoted. The first is furthest from a quote. */
export const PAIR_REASONS = ['stale_leg', 'no_book', 'unknown_fee', 'thin_book'] as const;
export type PairReason = (typeof PAIR_REASONS)[number];

export const MISSING_EDGE_REASONS = ['one_provider', 'link_not_used', ...PAIR_REASONS] as const;
export type MissingEdgeReason = (typeof MISSING_EDGE_REASONS)[number];
/** Each reason in a few words, for the documents of the routes. */
export const REASONS_TEXT =
  'one_provider: one provider alone lists the question; link_not_used: the link of a market is not strong enough; stale_leg: prices of a leg are not live; no_book: a leg has no book; unknown_fee: the fee of a market is unknown; thin_book: a book holds less than the size.';

/**
 * Why an event without arbitrage has none. Of several pairs of legs, the reason of the pair that is closest to a quote
 * counts. If nothing is missing of a pair, one of its books holds less than the size: otherwise it would be quoted.
 */
export function missingEdgeReason(
  { links }: Pick<UniversalEvent, 'links'>,
  legs: readonly SpreadLeg[],
): MissingEdgeReason {
  const missing = missingProviders(links);
  if (missing !== null) return missing;
  const steps = links.filter(({ used }) => used).map((link) => ({ provider: link.provider, step: stepOf(link, legs) }));
  let best = 0;
  for (const one of steps)
    for (const other of steps)
      if (one.provider !== other.provider) best = Math.max(best, Math.min(one.step, other.step));
  return PAIR_REASONS[best]!;
}

/** Why no two markets of an event can be compared at all; null if some can. */
export function missingProviders(links: readonly EventLink[]): 'one_provider' | 'link_not_used' | null {
  if (!hasSeveralProviders(links)) return 'one_provider';
  return hasSeveralProviders(links.filter(({ used }) => used)) ? null : 'link_not_used';
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

/** A pair of markets without arbitrage. Both are null if the event has markets of one provider alone. */
export interface AbsentPair {
  readonly kind: ArbitrageKind;
  /** Where YES is bought. */
  readonly buyMarketId: string | null;
  /** Where YES is sold, or NO is bought. */
  readonly sellMarketId: string | null;
  readonly reason: MissingEdgeReason;
}

/**
 * Lists the ordered pairs of markets of different providers that cannot be quoted, by kind, buying and selling market.
 * If a kind has a record, a pair of which nothing is missing can be quoted with a smaller net edge, or one of its books
 * is thin: it is left out. If a kind has none, one of its books is thin.
 * @param statuses of the instruments of the event.
 * @param quoted the kinds that have a record.
 */
export function absentPairs(
  { links }: Pick<UniversalEvent, 'links'>,
  legs: readonly SpreadLeg[],
  statuses: ReadonlyMap<string, Pick<MarketStatus, 'state'>>,
  quoted: ReadonlySet<ArbitrageKind>,
): AbsentPair[] {
  if (!hasSeveralProviders(links))
    return ARBITRAGE_KINDS.map((kind) => ({ kind, buyMarketId: null, sellMarketId: null, reason: 'one_provider' }));
  const legOf = ({ provider, providerMarketId }: EventLink) =>
    legs.find((leg) => leg.provider === provider && leg.marketId === providerMarketId);
  return ARBITRAGE_KINDS.flatMap((kind) =>
    links.flatMap((buy) =>
      links.flatMap((sell): AbsentPair[] => {
        if (buy.provider === sell.provider) return [];
        const markets = { kind, buyMarketId: buy.providerMarketId, sellMarketId: sell.providerMarketId };
        if (!buy.used || !sell.used) return [{ ...markets, reason: 'link_not_used' }];
        const reasons = [
          sideReason(buy, legOf(buy), statuses, kind, true),
          sideReason(sell, legOf(sell), statuses, kind, false),
        ];
        const known = PAIR_REASONS.find((reason) => reasons.includes(reason));
        if (known === undefined && quoted.has(kind)) return [];
        return [{ ...markets, reason: known ?? 'thin_book' }];
      }),
    ),
  );
}

/** What is known to be missing of a side of a pair; null if nothing is, so that only the sizes of its book can be. */
function sideReason(
  link: EventLink,
  leg: SpreadLeg | undefined,
  statuses: ReadonlyMap<string, Pick<MarketStatus, 'state'>>,
  kind: ArbitrageKind,
  isBuying: boolean,
): PairReason | null {
  const { token } = bookSideOf(kind, isBuying, link.polarity === 'inverse');
  if (token === 'no' && leg?.state !== 'closed' && leg?.state !== 'resolved') return noTokenReason(link, statuses);
  const reason = reasonOf(leg, link.takerFeeRate);
  if (reason !== 'thin_book') return reason;
  const price = isBuying ? leg!.yesAsk : leg!.yesBid;
  return price === null ? 'thin_book' : null;
}

function noTokenReason(
  { noInstrument, takerFeeRate }: EventLink,
  statuses: ReadonlyMap<string, Pick<MarketStatus, 'state'>>,
): PairReason | null {
  const status = noInstrument === null ? undefined : statuses.get(noInstrument);
  if (!status) return 'no_book';
  if (status.state !== 'live') return 'stale_leg';
  return takerFeeRate === null ? 'unknown_fee' : null;
}
