/** Books: the `l2Book` channel and answers of `l2Book`, always a complete book (venue page, sections 3.1 and 7). */

import type { Emit } from '#infra/stages/stage';
import {
  FieldError,
  readAmount,
  readInteger,
  readList,
  readObject,
  readText,
  withPath,
} from '#schemas/domain/json-fields';
import { type BookLevel, bookTopics } from '#schemas/topics/normalised';
import { marketOf, providerOf } from './coins.ts';
import type { VenueAState } from './state.ts';

/** A complete and validated book. */
export interface BookMessage {
  readonly coin: string;
  /** Venue time, unix ms. */
  readonly time: number;
  readonly bids: BookLevel[];
  readonly asks: BookLevel[];
}

/** Reads a book. A book without levels is `[[],[]]`. Throws `FieldError`. */
export function readBook(data: unknown): BookMessage {
  const book = readObject(data, 'data');
  const levels = readList(book.levels, 'data.levels');
  if (levels.length !== 2) throw new FieldError('data.levels', 'bids and asks', levels);
  return {
    coin: readText(book.coin, 'data.coin'),
    time: readInteger(book.time, 'data.time'),
    bids: readSide(levels[0], 0),
    asks: readSide(levels[1], 1),
  };
}

function readSide(value: unknown, side: 0 | 1): BookLevel[] {
  const levels = readList(value, `data.levels[${side}]`);
  let at = 0;
  try {
    const read: BookLevel[] = [];
    for (; at < levels.length; at += 1) {
      const level = readObject(levels[at], 'level');
      read.push({ price: readAmount(level.px, 'px'), size: readAmount(level.sz, 'sz') });
    }
    return read;
  } catch (error) {
    throw withPath(error, `data.levels[${side}][${at}]`);
  }
}

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
