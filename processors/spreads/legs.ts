/** Creates the legs of an event and updates them from the books. */
import type { PricingTerms } from '#schemas/domain/arbitrage/terms';
import { eventPrice, sameWalk, type Walk, walkLevels } from '#schemas/domain/arbitrage/walk';
import { type Book, bestAsk, bestBid, createBook, type Level } from '#schemas/domain/book';
import { type Decimal, divideHalfEven, formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import type { EventLink } from '#schemas/topics/derived';
import type { InstrumentState, LegState } from './state.ts';

/** Is never changed. */
const NO_BOOK = createBook();

/** Creates a leg without a book. Throws `DecimalError` for a malformed fee rate. */
export function createLeg(link: EventLink): LegState {
  return {
    provider: link.provider,
    marketId: link.providerMarketId,
    yes: link.yesInstrument,
    no: link.noInstrument,
    inverse: link.polarity === 'inverse',
    marketState: link.marketState,
    rate: link.takerFeeRate === null ? null : parseDecimal(link.takerFeeRate),
    bid: null,
    bidText: null,
    ask: null,
    askText: null,
    mid: null,
    midText: null,
    bookState: null,
    live: false,
    noLive: false,
    sell: null,
    buy: null,
    buyYesToken: null,
    buyNoToken: null,
  };
}

/**
 * Updates the fields of a leg that the head shows from its YES book. Returns true if any changed. A leg has no prices until
 * its state is known: the first status of an instrument has the time of its first book, and comes after it in the merge.
 */
export function refreshTop(leg: LegState, yes: InstrumentState): boolean {
  const book = yes.state === null ? NO_BOOK : yes.book;
  const [bidLevel, askLevel] = leg.inverse ? [bestAsk(book), bestBid(book)] : [bestBid(book), bestAsk(book)];
  const bid = bidLevel && eventPrice(bidLevel.price, leg.inverse);
  const ask = askLevel && eventPrice(askLevel.price, leg.inverse);
  const live = isQuotable(yes);
  // Nearly every book change returns here, before anything is formatted.
  if (bid === leg.bid && ask === leg.ask && live === leg.live && yes.state === leg.bookState) return false;
  leg.live = live;
  leg.bookState = yes.state;
  if (bid === leg.bid && ask === leg.ask) return true;
  if (bid !== leg.bid) leg.bidText = textOf(bid);
  if (ask !== leg.ask) leg.askText = textOf(ask);
  leg.bid = bid;
  leg.ask = ask;
  leg.mid = bid === null || ask === null ? null : (divideHalfEven(bid + ask, 2n) as Decimal);
  leg.midText = textOf(leg.mid);
  return true;
}

/** True if an instrument is live and its book is known. */
export function isQuotable({ state, bookAt }: InstrumentState): boolean {
  return state === 'live' && bookAt !== null;
}

function textOf(value: Decimal | null): string | null {
  return value === null ? null : formatDecimal(value);
}

/** The part of a book that an update may have changed: bids at or below `bid`, asks at or above `ask`. */
export interface Touched {
  /** Null if no bid changed, `all` if any may have. */
  readonly bid: Decimal | 'all' | null;
  readonly ask: Decimal | 'all' | null;
}

export const TOUCHED_ALL: Touched = { bid: 'all', ask: 'all' };

/** Returns the part of the book that an update changes, from its parsed levels. */
export function touchedBy(snapshot: boolean, bids: readonly Level[], asks: readonly Level[]): Touched {
  if (snapshot) return TOUCHED_ALL;
  let bid: Decimal | null = null;
  let ask: Decimal | null = null;
  for (const { price } of bids) if (bid === null || price > bid) bid = price;
  for (const { price } of asks) if (ask === null || price < ask) ask = price;
  return { bid, ask };
}

/**
 * Recalculates the walks of a leg that the update can have changed. Returns true if the result of a walk changed.
 * @param isYes true for the book of the leg's YES side, false for that of its NO side.
 */
export function refreshWalks(
  leg: LegState,
  isYes: boolean,
  book: Book,
  touched: Touched,
  { size, fees }: PricingTerms,
): boolean {
  const model = fees.models.get(leg.provider);
  if (model === undefined || leg.rate === null) return false;
  const { rate, inverse, sell, buy, buyYesToken, buyNoToken } = leg;
  const bids = (walk: Walk | null, mirrored: boolean) =>
    reachesBid(touched, walk) ? walkLevels(book.bids, { size, model, rate, mirrored }) : walk;
  const asks = (walk: Walk | null, mirrored: boolean) =>
    reachesAsk(touched, walk) ? walkLevels(book.asks, { size, model, rate, mirrored }) : walk;
  if (isYes) {
    leg.buyYesToken = asks(buyYesToken, false);
    leg.sell = inverse ? asks(sell, true) : bids(sell, false);
    leg.buy = inverse ? bids(buy, true) : leg.buyYesToken;
  } else leg.buyNoToken = asks(buyNoToken, false);
  return (
    !sameWalk(sell, leg.sell) ||
    !sameWalk(buy, leg.buy) ||
    !sameWalk(buyYesToken, leg.buyYesToken) ||
    !sameWalk(buyNoToken, leg.buyNoToken)
  );
}

function reachesBid({ bid }: Touched, walk: Walk | null): boolean {
  if (bid === null) return false;
  return bid === 'all' || walk === null || bid >= walk.reach;
}

function reachesAsk({ ask }: Touched, walk: Walk | null): boolean {
  if (ask === null) return false;
  return ask === 'all' || walk === null || ask <= walk.reach;
}
