/**
 * Finds the best arbitrage of an event (contract, Arbitrage record): of all pairs of legs of different providers, in
 * both directions, the one with the largest net edge, even if that is negative. A leg that is not live, an unknown fee, or a book
 * with less than the size gives no record.
 */
import { type ArbitrageKind, netAmount, quotePair } from '#schemas/domain/arbitrage/pair';
import type { Walk } from '#schemas/domain/arbitrage/walk';
import { type Decimal, formatDecimal } from '#schemas/domain/decimal';
import type { Arbitrage } from '#schemas/topics/derived';
import type { EventState, LegState, SpreadsState } from './state.ts';

interface Side {
  readonly leg: LegState;
  readonly walk: Walk;
  readonly instrument: string;
}

/** A pair that can be quoted, with its exact net amount for the full size, in units of 10^-54 USD. */
export interface QuotedPair {
  /** Buys YES. */
  readonly first: Side;
  /** Sells YES, or buys NO. */
  readonly second: Side;
  readonly net: bigint;
}

/** All pairs of a kind, evaluated. */
export interface EvaluatedPairs {
  /** The pair with the largest net edge, the first in leg order of equal ones; null if none can be quoted. */
  readonly best: QuotedPair | null;
  /** Every pair with a net amount above zero, in leg order. */
  readonly positive: readonly QuotedPair[];
}

const NO_PAIRS: readonly QuotedPair[] = [];

/** Evaluates every pair of a kind. */
export function evaluatePairs(event: EventState, kind: ArbitrageKind, size: Decimal): EvaluatedPairs {
  const isCross = kind === 'cross_provider';
  // With two legs usually at most one direction is above zero, so the list is rarely allocated.
  let positive: QuotedPair[] | null = null;
  let best: QuotedPair | null = null;
  for (const leg of event.legs) {
    const first = isCross ? inYesBook(leg, leg.buy) : buyingToken(leg, true);
    if (first === null) continue;
    for (const other of event.legs) {
      if (other.provider === leg.provider) continue;
      const second = isCross ? inYesBook(other, other.sell) : buyingToken(other, false);
      if (second === null) continue;
      const net = netAmount(kind, size, first.walk, second.walk);
      if (net <= 0n && best !== null && net <= best.net) continue;
      const pair = { first, second, net };
      if (best === null || net > best.net) best = pair;
      if (net > 0n) {
        positive ??= [];
        positive.push(pair);
      }
    }
  }
  return { best, positive: positive ?? NO_PAIRS };
}

/** The side of a leg in the market's YES book; null if it cannot be quoted. */
function inYesBook(leg: LegState, walk: Walk | null): Side | null {
  return walk === null || !leg.live ? null : { leg, walk, instrument: leg.yes };
}

/**
 * The side that buys a token: the one that pays if the event is YES, or the one that pays if it is NO. The YES token of
 * an inverse market pays if the event is NO. Null if it cannot be quoted.
 */
function buyingToken(leg: LegState, paysYes: boolean): Side | null {
  if (paysYes !== leg.inverse) return inYesBook(leg, leg.buyYesToken);
  return leg.buyNoToken === null || leg.no === null || !leg.noLive
    ? null
    : { leg, walk: leg.buyNoToken, instrument: leg.no };
}

/** Returns the receive time of the older of the two books. */
export function olderBookAt(state: SpreadsState, first: string, second: string): number {
  return Math.min(state.instruments.get(first)!.bookAt!, state.instruments.get(second)!.bookAt!);
}

/** Builds the record of a pair. */
export function toRecord(
  state: SpreadsState,
  event: EventState,
  kind: ArbitrageKind,
  { first, second }: QuotedPair,
  size: Decimal,
  receivedAt: number,
  cause: LegState | null,
): Arbitrage {
  const quote = quotePair(kind, size, first.walk, second.walk);
  return {
    universalId: event.universalId,
    receivedAt,
    kind,
    size: formatDecimal(size),
    grossEdge: formatDecimal(quote.grossEdge),
    netEdge: formatDecimal(quote.netEdge),
    quoteAgeMs: receivedAt - olderBookAt(state, first.instrument, second.instrument),
    firstProvider: first.leg.provider,
    firstMarketId: first.leg.marketId,
    firstPrice: formatDecimal(quote.firstPrice),
    firstFee: formatDecimal(quote.firstFee),
    secondProvider: second.leg.provider,
    secondMarketId: second.leg.marketId,
    secondPrice: formatDecimal(quote.secondPrice),
    secondFee: formatDecimal(quote.secondFee),
    causeProvider: cause?.provider ?? null,
    causeMarketId: cause?.marketId ?? null,
  };
}

/** True if two records are equal except for their time and cause. */
export function isSameRecord(a: Arbitrage, b: Arbitrage): boolean {
  return (
    a.size === b.size &&
    a.netEdge === b.netEdge &&
    a.grossEdge === b.grossEdge &&
    a.firstMarketId === b.firstMarketId &&
    a.secondMarketId === b.secondMarketId &&
    a.firstProvider === b.firstProvider &&
    a.secondProvider === b.secondProvider &&
    a.firstPrice === b.firstPrice &&
    a.secondPrice === b.secondPrice &&
    a.firstFee === b.firstFee &&
    a.secondFee === b.secondFee
  );
}
