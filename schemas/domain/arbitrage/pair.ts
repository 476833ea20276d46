/** Arbitrage of a pair of markets of one event: which books it takes from, and what it earns. Pure. */
import { type Decimal, UNIT } from '../decimal.ts';
import { perShare, type Walk } from './walk.ts';

export const ARBITRAGE_KINDS = ['cross_provider', 'negation_pair'] as const;
/** Buys YES on one market and sells it on another, or buys YES on one and NO on another. */
export type ArbitrageKind = (typeof ARBITRAGE_KINDS)[number];

/** The side of a book of a market that one half of a pair takes from. */
export interface BookSide {
  /** The market's own token. */
  readonly token: 'yes' | 'no';
  readonly side: 'bids' | 'asks';
  /** As in `WalkTerms`. */
  readonly mirrored: boolean;
}

/**
 * Returns what a half of a pair takes from a market.
 * @param isFirst true for the half that buys YES, false for the one that sells YES or buys NO.
 * @param inverse true if the YES of the market is the event's NO.
 */
export function bookSideOf(kind: ArbitrageKind, isFirst: boolean, inverse: boolean): BookSide {
  // The YES token of an inverse market pays if the event is NO.
  if (kind === 'negation_pair') return { token: isFirst === inverse ? 'no' : 'yes', side: 'asks', mirrored: false };
  return { token: 'yes', side: isFirst === inverse ? 'bids' : 'asks', mirrored: inverse };
}

/** 1 USD times one share, in units of 10^-54. */
const PAYOUT_UNITS = 10n ** 36n;

/** Returns what a pair earns after fees for the full size of both walks, in units of 10^-54 USD. */
export function netAmount(kind: ArbitrageKind, size: Decimal, first: Walk, second: Walk): bigint {
  const received = kind === 'cross_provider' ? second.cost : size * PAYOUT_UNITS - second.cost;
  return received - first.cost - first.fee - second.fee;
}

/** Figures of a pair for a size, in USD per share. */
export interface PairQuote {
  readonly grossEdge: Decimal;
  readonly netEdge: Decimal;
  readonly firstPrice: Decimal;
  readonly firstFee: Decimal;
  readonly secondPrice: Decimal;
  readonly secondFee: Decimal;
}

/** Returns the figures of a pair, each rounded half-even to 18 decimals. */
export function quotePair(kind: ArbitrageKind, size: Decimal, first: Walk, second: Walk): PairQuote {
  const gross = kind === 'cross_provider' ? second.best - first.best : UNIT - first.best - second.best;
  return {
    grossEdge: gross as Decimal,
    netEdge: perShare(netAmount(kind, size, first, second), size),
    firstPrice: perShare(first.cost, size),
    firstFee: perShare(first.fee, size),
    secondPrice: perShare(second.cost, size),
    secondFee: perShare(second.fee, size),
  };
}
