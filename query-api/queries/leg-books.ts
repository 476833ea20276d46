/** The books of an event's markets in the event's YES terms, from the newest books that the view holds. */
import { eventPrice } from '#schemas/domain/arbitrage/walk';
import { type Book, bestLevels, createBook, type Level } from '#schemas/domain/book';
import { hasLeg } from '#schemas/domain/linked-markets';
import { whileLagging } from '#schemas/domain/price-state';
import { bookHeadTopic } from '#schemas/topics/book-heads';
import type { EventLink, SpreadLeg, UniversalEvent } from '#schemas/topics/derived';
import { isBehind } from '../views/freshness.ts';
import type { QuestionBook } from '../views/question-books.ts';
import type { Views } from '../views/views.ts';

type BookViews = Pick<Views, 'events' | 'questionBooks' | 'freshness'>;

/** The book of one coin or token, with what shows if it can be relied on. */
export interface InstrumentBook {
  /** Null before the first complete book, and once the market ended. */
  readonly known: QuestionBook | null;
  /** Null while nothing is known about its connection. */
  readonly state: SpreadLeg['state'];
  /** The pipeline's time minus the time of its last frame; null without a book. */
  readonly quoteAgeMs: number | null;
}

/** The book of a coin or token of a question. */
export function instrumentBook({ events, questionBooks, freshness }: BookViews, instrument: string): InstrumentBook {
  const known = questionBooks.books.get(instrument) ?? null;
  const state = events.statuses.get(instrument)?.state ?? null;
  const now = freshness.now();
  return {
    known,
    state: state && isBehind(freshness, bookHeadTopic) ? whileLagging(state) : state,
    quoteAgeMs: known === null || now === null ? null : Math.max(0, now - known.bookAt),
  };
}

export interface LegBook {
  readonly provider: string;
  readonly marketId: string;
  readonly state: SpreadLeg['state'];
  /** The venue's time of the last update, unix ms; null without a book. */
  readonly ts: number | null;
  /** Receive time of the last update, unix ms; null without a book. */
  readonly bookAt: number | null;
  readonly book: Book;
}

/**
 * The YES books of an event's used links, as legs of a spread show their prices: at 1 − p for an inverse link, and
 * without levels while the state is unknown or the market is no longer traded.
 */
export function legBooks(views: BookViews, { links }: Pick<UniversalEvent, 'links'>, depth: number): LegBook[] {
  return links.filter(hasLeg).map((link) => {
    const { known, state } = instrumentBook(views, link.yesInstrument);
    const hasPrices = known !== null && state !== null && link.marketState === 'open';
    return {
      provider: link.provider,
      marketId: link.providerMarketId,
      state: link.marketState === 'open' ? state : link.marketState,
      ts: known?.ts ?? null,
      bookAt: known?.bookAt ?? null,
      book: hasPrices ? inEventTerms(bestLevels(known.book, depth), link) : createBook(),
    };
  });
}

function inEventTerms({ bids, asks }: Book, { polarity }: EventLink): Book {
  if (polarity === 'same') return { bids, asks };
  const mirrored = ({ price, size }: Level): Level => ({ price: eventPrice(price, true), size });
  return { bids: asks.map(mirrored), asks: bids.map(mirrored) };
}
