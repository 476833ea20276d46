/** The legs of an event, and how they follow the books. */
import { bestAsk, bestBid, type Level } from '#schemas/domain/book';
import { type Decimal, divideHalfEven, formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import type { EventLink } from '#schemas/topics/derived';
import { feeModelOf } from './fees/fee-models.ts';
import type { InstrumentState, LegState, SpreadsState } from './state.ts';
import { sameWalk, seen, type Walk, walkLevels } from './walk.ts';

/** A leg that has seen no book yet. Throws `DecimalError` for a malformed fee rate. */
export function createLeg(link: EventLink): LegState {
  return {
    provider: link.provider,
    marketId: link.providerMarketId,
    yes: link.yesInstrument,
    no: link.noInstrument,
    inverse: link.polarity === 'inverse',
    rate: link.takerFeeRate === null ? null : parseDecimal(link.takerFeeRate),
    bid: null,
    ask: null,
    mid: null,
    midText: null,
    live: false,
    sell: null,
    buy: null,
    buyNo: null,
  };
}

/** Brings what the head shows of a leg up to date with its YES book. True when anything changed. */
export function refreshTop(leg: LegState, yes: InstrumentState): boolean {
  const [bid, ask] = leg.inverse ? [bestAsk(yes.book), bestBid(yes.book)] : [bestBid(yes.book), bestAsk(yes.book)];
  const bidPrice = bid && seen(bid.price, leg.inverse);
  const askPrice = ask && seen(ask.price, leg.inverse);
  const live = yes.live && yes.bookAt !== null;
  const bidText = bidPrice === null ? null : formatDecimal(bidPrice);
  const askText = askPrice === null ? null : formatDecimal(askPrice);
  if (bidText === leg.bid && askText === leg.ask && live === leg.live) return false;
  leg.bid = bidText;
  leg.ask = askText;
  leg.live = live;
  leg.mid = bidPrice === null || askPrice === null ? null : (divideHalfEven(bidPrice + askPrice, 2n) as Decimal);
  leg.midText = leg.mid === null ? null : formatDecimal(leg.mid);
  return true;
}

/** The part of a book that an update may have changed: bids at or below `bid`, asks at or above `ask`. */
export interface Touched {
  /** Null: no bid changed. `all`: any may have. */
  readonly bid: Decimal | 'all' | null;
  readonly ask: Decimal | 'all' | null;
}

export const TOUCHED_ALL: Touched = { bid: 'all', ask: 'all' };

/** What an update touches, from its parsed levels. */
export function touchedBy(snapshot: boolean, bids: readonly Level[], asks: readonly Level[]): Touched {
  if (snapshot) return TOUCHED_ALL;
  let bid: Decimal | null = null;
  let ask: Decimal | null = null;
  for (const { price } of bids) if (bid === null || price > bid) bid = price;
  for (const { price } of asks) if (ask === null || price < ask) ask = price;
  return { bid, ask };
}

/** Walks again what the update can have changed for the leg. True when a walk says something else now. */
export function refreshWalks(
  state: SpreadsState,
  leg: LegState,
  instrument: string,
  touched: Touched,
  size: Decimal,
): boolean {
  const model = feeModelOf(leg.provider);
  if (model === null || leg.rate === null) return false;
  const { rate, inverse } = leg;
  const { book } = state.instruments.get(instrument)!;
  const bids = (walk: Walk | null, mirrored: boolean) =>
    reachesBid(touched, walk) ? walkLevels(book.bids, { size, model, rate, mirrored }) : walk;
  const asks = (walk: Walk | null, mirrored: boolean) =>
    reachesAsk(touched, walk) ? walkLevels(book.asks, { size, model, rate, mirrored }) : walk;
  const before = [leg.sell, leg.buy, leg.buyNo] as const;
  if (instrument === leg.yes) {
    leg.sell = inverse ? asks(leg.sell, true) : bids(leg.sell, false);
    leg.buy = inverse ? bids(leg.buy, true) : asks(leg.buy, false);
    // The YES of an inverse market is the event's NO.
    if (inverse) leg.buyNo = asks(leg.buyNo, false);
  } else if (!inverse) leg.buyNo = asks(leg.buyNo, false);
  return !sameWalk(before[0], leg.sell) || !sameWalk(before[1], leg.buy) || !sameWalk(before[2], leg.buyNo);
}

function reachesBid({ bid }: Touched, walk: Walk | null): boolean {
  if (bid === null) return false;
  return bid === 'all' || walk === null || bid >= walk.reach;
}

function reachesAsk({ ask }: Touched, walk: Walk | null): boolean {
  if (ask === null) return false;
  return ask === 'all' || walk === null || ask <= walk.reach;
}

/** The instrument whose book `buyNo` walks. */
export function noInstrumentOf(leg: LegState): string | null {
  return leg.inverse ? leg.yes : leg.no;
}
