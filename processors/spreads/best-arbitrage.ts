/**
 * The best arbitrage of an event (contract, Arbitrage record): over all pairs of legs of different providers and both
 * directions the one with the largest net edge, also when that is below zero. A stale leg, an unknown fee and a book
 * that holds less than the size give no record.
 */
import { type Decimal, formatDecimal, UNIT } from '#schemas/domain/decimal';
import type { Arbitrage } from '#schemas/topics/derived';
import { noInstrumentOf } from './legs.ts';
import type { ArbitrageKind, EventState, LegState, SpreadsState } from './state.ts';
import { perShare, type Walk } from './walk.ts';

const EXACT_UNIT = 10n ** 36n;

interface Side {
  readonly leg: LegState;
  readonly walk: Walk;
  readonly instrument: string;
}

/** A pair with its exact net amount for the whole size, in units of 10^-54 USD. */
export interface BestPair {
  readonly kind: ArbitrageKind;
  /** Buys, or takes YES. */
  readonly first: Side;
  /** Sells, or takes NO. */
  readonly second: Side;
  readonly net: bigint;
}

/** The best pair of a kind, or null where no pair can be quoted. Of equal ones the first in the order of the legs. */
export function bestPair(state: SpreadsState, event: EventState, kind: ArbitrageKind, size: Decimal): BestPair | null {
  const isCross = kind === 'cross_provider';
  const firsts = sidesOf(state, event, (leg) => [leg.buy, leg.yes]);
  const seconds = sidesOf(state, event, (leg) => (isCross ? [leg.sell, leg.yes] : [leg.buyNo, noInstrumentOf(leg)]));
  let best: BestPair | null = null;
  for (const first of firsts) {
    const paid = first.walk.cost + first.walk.fee;
    for (const second of seconds) {
      if (second.leg.provider === first.leg.provider) continue;
      const { cost, fee } = second.walk;
      const net = isCross ? cost - fee - paid : size * EXACT_UNIT - cost - fee - paid;
      if (best === null || net > best.net) best = { kind, first, second, net };
    }
  }
  return best;
}

function sidesOf(
  state: SpreadsState,
  event: EventState,
  pick: (leg: LegState) => readonly [Walk | null, string | null],
): Side[] {
  const sides: Side[] = [];
  for (const leg of event.legs) {
    const [walk, name] = pick(leg);
    if (walk === null || name === null) continue;
    const instrument = state.instruments.get(name);
    if (instrument?.live && instrument.bookAt !== null) sides.push({ leg, walk, instrument: name });
  }
  return sides;
}

/** Receive time of the older of the two books. */
export function olderBookAt(state: SpreadsState, first: string, second: string): number {
  return Math.min(state.instruments.get(first)!.bookAt!, state.instruments.get(second)!.bookAt!);
}

/** The record of a pair. */
export function toRecord(
  state: SpreadsState,
  event: EventState,
  { kind, first, second, net }: BestPair,
  size: Decimal,
  receivedAt: number,
  cause: LegState | null,
): Arbitrage {
  const gross =
    kind === 'cross_provider' ? second.walk.best - first.walk.best : UNIT - first.walk.best - second.walk.best;
  const text = (amount: bigint) => formatDecimal(perShare(amount, size));
  return {
    universalId: event.universalId,
    receivedAt,
    kind,
    size: formatDecimal(size),
    grossEdge: formatDecimal(gross as Decimal),
    netEdge: text(net),
    quoteAgeMs: receivedAt - olderBookAt(state, first.instrument, second.instrument),
    firstProvider: first.leg.provider,
    firstMarketId: first.leg.marketId,
    firstPrice: text(first.walk.cost),
    firstFee: text(first.walk.fee),
    secondProvider: second.leg.provider,
    secondMarketId: second.leg.marketId,
    secondPrice: text(second.walk.cost),
    secondFee: text(second.walk.fee),
    causeProvider: cause?.provider ?? null,
    causeMarketId: cause?.marketId ?? null,
  };
}

/** Whether two records differ in more than their time and cause. */
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
