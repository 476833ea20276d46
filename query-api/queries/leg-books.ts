/** The books of an event's markets in the event's YES terms, from the newest books that the view holds. */
import { eventPrice } from '#schemas/domain/arbitrage/walk';
import { type Book, bestLevels, createBook, type Level } from '#schemas/domain/book';
import { hasLeg } from '#schemas/domain/linked-markets';
import { whileLagging } from '#schemas/domain/price-state';
import type { EventLink, SpreadLeg, UniversalEvent } from '#schemas/topics/derived';
import type { Views } from '../views/views.ts';
import { areBooksBehind } from './books-as-of.ts';

export interface LegBook {
  readonly provider: string;
  readonly marketId: string;
  readonly state: SpreadLeg['state'];
  /** The venue's time of the last update, unix ms; null without a book. */
  readonly ts: number | null;
  readonly book: Book;
}

/**
 * The YES books of an event's used links, as legs of a spread show their prices: at 1 − p for an inverse link, and
 * without levels while the state is unknown or the market is no longer traded.
 */
export function legBooks(
  { events, questionBooks, freshness }: Pick<Views, 'events' | 'questionBooks' | 'freshness'>,
  { links }: Pick<UniversalEvent, 'links'>,
  depth: number,
): LegBook[] {
  const lags = areBooksBehind(freshness);
  return links.filter(hasLeg).map((link) => {
    const known = questionBooks.books.get(link.yesInstrument);
    const status = events.statuses.get(link.yesInstrument)?.state ?? null;
    const state = status && lags ? whileLagging(status) : status;
    const hasPrices = known !== undefined && state !== null && link.marketState === 'open';
    return {
      provider: link.provider,
      marketId: link.providerMarketId,
      state: link.marketState === 'open' ? state : link.marketState,
      ts: known?.ts ?? null,
      book: hasPrices ? inEventTerms(bestLevels(known.book, depth), link) : createBook(),
    };
  });
}

function inEventTerms({ bids, asks }: Book, { polarity }: EventLink): Book {
  if (polarity === 'same') return { bids, asks };
  const mirrored = ({ price, size }: Level): Level => ({ price: eventPrice(price, true), size });
  return { bids: asks.map(mirrored), asks: bids.map(mirrored) };
}
