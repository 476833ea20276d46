/** View of the order books of price venues. It is a separate stage because it has by far the most updates. */
import { on, type Stage, type StageRecord } from '#infra/stages/stage';
import { applyBookUpdate, type Book, createBook } from '#schemas/domain/book';
import { PRICE_VENUES, type PriceVenue } from '#schemas/domain/providers';
import { type BookUpdate, bookTopics } from '#schemas/topics/normalised';

/**
 * The newest update by instrument; every update of a price venue is a complete book. It is decoded when a request reads
 * the book, because most updates are replaced before anyone reads them.
 */
export type BooksOfVenue = Map<string, Pick<StageRecord<BookUpdate>, 'value'>>;
export type BooksView = Readonly<Record<PriceVenue, BooksOfVenue>>;

export const booksView: Stage<BooksView> = {
  name: 'view.books',
  inputs: PRICE_VENUES.map((venue) =>
    on(bookTopics[venue], (view: BooksView, record) => void view[venue].set(record.key, record)),
  ),
  outputs: [],
  initialState: () => Object.fromEntries(PRICE_VENUES.map((venue) => [venue, new Map()])) as BooksView,
};

export interface ReceivedBook {
  readonly book: Book;
  /** The venue's time, unix ms. */
  readonly ts: number;
  /** Unix ms. */
  readonly receivedAt: number;
}

/** The newest book of an instrument; null if none was received. */
export function bookOf(books: BooksOfVenue, instrument: string): ReceivedBook | null {
  const update = books.get(instrument)?.value;
  // An update without a snapshot is not a complete book.
  if (!update?.snapshot) return null;
  const book = createBook();
  applyBookUpdate(book, update);
  return { book, ts: update.ts, receivedAt: update.receivedAt };
}
