/** Books: the `l2Book` channel and answers of `l2Book`, always a complete book (venue page, sections 3.1 and 7). */

import type { Emit } from '#infra/stages/stage';
import { bookTopics } from '#schemas/topics/normalised';
import type { BookMessage } from '#schemas/venues/venue-a/book';
import { marketOf, providerOf } from '#schemas/venues/venue-a/coin-market';
import type { VenueAState } from './state.ts';

/** True if the book is older than the newest emitted one of its coin: the socket can be faster than an answer. */
export function isOutdated(state: VenueAState, book: BookMessage): boolean {
  return book.time < (state.bookTimes.get(book.coin) ?? 0);
}

/** Emits a book. @param feed the connection that carried it. */
export function emitBook(
  state: VenueAState,
  { coin, time, bids, asks }: BookMessage,
  feed: string,
  receivedAt: number,
  emit: Emit,
): void {
  state.bookTimes.set(coin, time);
  emit(bookTopics.venue_a, coin, {
    provider: providerOf(coin),
    instrument: coin,
    marketId: marketOf(coin),
    feed,
    ts: time,
    receivedAt,
    snapshot: true,
    bids,
    asks,
  });
}
