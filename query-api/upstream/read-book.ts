import { applyBookUpdate, type Book, createBook } from '#schemas/domain/book';
import { DecimalError } from '#schemas/domain/decimal';
import { FieldError } from '#schemas/domain/json-fields';
import { bookWanted } from '#schemas/requests/book-wanted';
import { readBook } from '#schemas/venues/venue-a/book';
import type { IngestRequests } from '../routes/route.ts';
import { readInfo } from './read-info.ts';
import { unusableResponse } from './unusable-response.ts';

export interface FetchedBook {
  readonly book: Book;
  /** The venue's time, unix ms. */
  readonly ts: number;
  /** Unix ms. */
  readonly fetchedAt: number;
}

/** States that this book is read, so that ingest subscribes to it where there is room. Nothing waits for it. */
export function requestBook(ingest: IngestRequests, coin: string): void {
  // If it fails the book is fetched when it is read again.
  ingest.send(bookWanted, { coins: [coin] }).catch(() => {});
}

/** Reads a book of venue_a through ingest. Rejects with an `ApiError` if the venue returns no book of this coin. */
export async function fetchBook(ingest: IngestRequests, coin: string): Promise<FetchedBook> {
  const { native, fetchedAt } = await readInfo(ingest, { type: 'l2Book', coin });
  try {
    const { time, bids, asks, ...read } = readBook(native);
    if (read.coin !== coin) throw new FieldError('data.coin', `the coin ${coin}`, read.coin);
    const book = createBook();
    applyBookUpdate(book, { snapshot: true, bids, asks });
    return { book, ts: time, fetchedAt };
  } catch (error) {
    if (error instanceof FieldError || error instanceof DecimalError)
      throw unusableResponse(`the venue returned no book of ${coin}`, native, error);
    throw error;
  }
}
