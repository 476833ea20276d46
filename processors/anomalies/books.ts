/**
 * Measures the spread of the YES books. A minute is a bucket only if it has a frame of the book, and its value is the
 * widest spread at any moment of the minute: before the first frame, or after any of them. A minute without a frame is
 * no bucket: three frames of a quiet market are three samples, however long they are valid, and the work depends on the
 * traffic and not on the number of markets. The spread during such minutes counts in the minute of the next frame.
 */
import {
  applyLevels,
  type Book,
  type BookChange,
  bestAsk,
  bestBid,
  createBook,
  type Level,
} from '#schemas/domain/book';
import { type Decimal, formatDecimal } from '#schemas/domain/decimal';
import { dropOldest } from '../shared/drop-oldest.ts';
import { type EpisodeContext, updateEpisode } from './emit-anomaly.ts';
import { append, windowOf } from './series.ts';
import { type AnomaliesState, type MarketState, MINUTE_MS, WAITING_BOOKS_MAX, WINDOW_MINUTES } from './state.ts';

/** True for an instrument whose books change nothing: the NO side of a market. */
export function isBookIgnored({ yesOf, noSides }: AnomaliesState, instrument: string): boolean {
  return noSides.has(instrument) && !yesOf.has(instrument);
}

/** Applies a frame to the book of an instrument that is not ignored. */
export function applyBookFrame(state: AnomaliesState, instrument: string, change: BookChange<Level>): void {
  const key = state.yesOf.get(instrument);
  if (key === undefined) {
    storeWaitingBook(state, instrument, change);
    return;
  }
  const market = state.markets.get(key)!;
  // Changes without a snapshot before them are useless, and so is the book of a resolved market.
  if (market.isResolved || (market.book === null && !change.snapshot)) return;
  if (market.book === null) market.book = createBook();
  else if (market.widest === null && !market.isBookLost) measure(state, key, market, market.book);
  market.isBookLost = false;
  applyLevels(market.book, change);
  measure(state, key, market, market.book);
}

/** Stores the book of an instrument without an event yet. */
function storeWaitingBook(state: AnomaliesState, instrument: string, change: BookChange<Level>): void {
  const { waitingBooks } = state;
  const known = waitingBooks.get(instrument);
  if (!known && !change.snapshot) return;
  const book = known ?? createBook();
  applyLevels(book, change);
  waitingBooks.set(instrument, book);
  dropOldest(waitingBooks, WAITING_BOOKS_MAX);
}

function measure(state: AnomaliesState, key: string, market: MarketState, book: Book): void {
  const bid = bestBid(book);
  const ask = bestAsk(book);
  if (!bid || !ask) return;
  const spread = (ask.price - bid.price) as Decimal;
  if (market.widest === null) state.measured.push(key);
  else if (spread <= market.widest.spread) return;
  market.widest = { spread, bid: bid.price, ask: ask.price };
}

/** Evaluates the minute in which books were measured, and starts the minute `next`. */
export function closeBooks(state: AnomaliesState, next: number, context: EpisodeContext): void {
  const minute = state.bookMinute;
  for (const key of state.measured) {
    const market = state.markets.get(key);
    if (!market?.widest) continue;
    const { spread, bid, ask } = market.widest;
    market.widest = null;
    const baseline = windowOf(market.spreads, minute - WINDOW_MINUTES);
    market.spreads = baseline;
    const details = () => ({ bid: formatDecimal(bid), ask: formatDecimal(ask) });
    updateEpisode(
      market,
      { kind: 'spread_widening', ts: minute * MINUTE_MS, value: spread, baseline, details },
      context,
    );
    append(baseline, minute, spread);
  }
  state.measured = [];
  state.bookMinute = next;
}
