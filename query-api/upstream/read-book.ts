import { applyBookUpdate, type Book, createBook } from '#schemas/domain/book';
import { DecimalError } from '#schemas/domain/decimal';
import { FieldError, parseJsonOrNull } from '#schemas/domain/json-fields';
import { ApiError } from '#schemas/errors';
import { readBook } from '#schemas/venues/venue-a/book';
import type { IngestRequests } from '../routes/route.ts';
import { PROVIDER, readInfo } from './read-info.ts';

/** Characters of a response that an error repeats. */
const ECHOED_CHARACTERS_MAX = 2_048;

export interface FetchedBook {
  readonly book: Book;
  /** The venue's time, unix ms. */
  readonly ts: number;
  /** Unix ms. */
  readonly fetchedAt: number;
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
    if (error instanceof FieldError || error instanceof DecimalError) throw noBook(coin, native, error);
    throw error;
  }
}

function noBook(coin: string, native: unknown, cause: Error): ApiError {
  const text = JSON.stringify(native).slice(0, ECHOED_CHARACTERS_MAX);
  return new ApiError('upstream_unavailable', `the venue returned no book of ${coin}`, {
    upstream: { provider: PROVIDER, status: 200, body: parseJsonOrNull(text) ?? (native === null ? null : text) },
    cause,
  });
}
